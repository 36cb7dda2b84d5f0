#include "cli/train/run/report_file.hpp"

#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/evaluate/evaluation_json.hpp"
#include "runtime/hash.hpp"

namespace troupe::cli {
namespace {

nlohmann::ordered_json to_json(const std::vector<Repair>& repairs) {
  auto array = nlohmann::ordered_json::array();
  for (const Repair& repair : repairs)
    array.push_back({{"worker", repair.worker},
                     {"node", repair.node},
                     {"phase", repair.phase},
                     {"what", repair.what},
                     {"redistributed", repair.redistributed},
                     {"seconds", repair.seconds},
                     {"replayed", repair.replayed}});
  return array;
}

/// The text with which the line of a step begins in a report.
constexpr std::string_view kStep = R"({"step":)";

/// Returns the number of the step that a line of a report describes; 0 if the line does not describe a step.
std::int64_t step_of(std::string_view line) {
  std::int64_t step = 0;
  if (line.starts_with(kStep)) std::from_chars(line.data() + kStep.size(), line.data() + line.size(), step);
  return step;
}

/// Returns the number of bytes in `text`, the content of a report, before the first line that describes a step after
/// `last_step`, or is incomplete.
std::size_t end_of(const std::string& text, std::int64_t last_step) {
  std::size_t end = 0;
  for (std::size_t next = 0; (next = text.find('\n', end)) != std::string::npos; end = next + 1)
    if (step_of(std::string_view(text).substr(end, next - end)) > last_step) break;
  return end;
}

nlohmann::ordered_json to_json(const AsynchronousReport& report) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const WorkerTraffic& each : report.workers)
    workers.push_back(
        {{"worker", each.worker}, {"fetches", each.fetches}, {"pushes", each.pushes}, {"dropped", each.dropped}});
  const Staleness& s = report.staleness;
  return {{"staleness", {{"mean", s.mean}, {"largest", s.largest}, {"histogram", s.histogram}}},
          {"workers", workers},
          {"bytes_fetched", report.bytes_fetched},
          {"bytes_pushed", report.bytes_pushed},
          {"lost_pushes", report.lost_pushes}};
}

nlohmann::ordered_json to_json(const RemoteTraffic& traffic) {
  return {{"bytes", traffic.bytes},
          {"requests", traffic.requests},
          {"retries", traffic.retries},
          {"cache_hits", traffic.cache_hits}};
}

nlohmann::ordered_json to_json(const LbfgsReport& report) {
  return {
      {"end", to_string(report.end)},      {"evaluations", report.evaluations}, {"objective", report.objective},
      {"step_length", report.step_length}, {"largest", report.largest},         {"pairs", report.pairs},
      {"portions", report.portions},       {"backups", report.backups},         {"backups_won", report.backups_won}};
}

/// Returns the JSON object of a step's line. The key "step" must be the first key, because `step_of` expects it at the
/// start of the line.
nlohmann::ordered_json to_json(const StepReport& report, Precision precision) {
  const PhaseSeconds& s = report.seconds;
  const CheckpointReport& c = report.checkpoint;
  const CopyReport& copies = report.copies;
  return {{"step", report.step},
          {"loss", report.loss},
          {"gradient_norm", report.gradient_norm},
          {"samples", report.samples},
          {"unit", report.unit},
          {"correct", report.correct},
          {"left_out_samples", report.left_out_samples},
          {"bytes_copied", report.bytes_copied},
          {"bytes_over_bus", report.bytes_over_bus},
          {"remote", to_json(report.remote)},
          {"bytes_sent", report.bytes_sent},
          {"state_bytes", report.state_bytes},
          {"strategy", to_string(report.strategy)},
          {"deterministic", report.deterministic},
          {"precision", to_string(precision)},
          {"algorithm", report.algorithm},
          {"asynchronous", to_json(report.asynchronous)},
          {"lbfgs", to_json(report.lbfgs)},
          {"local", {{"steps", report.local.steps}, {"drift", report.local.drift}}},
          {"left_out", report.left_out},
          {"repairs", to_json(report.repairs)},
          {"seconds",
           {{"step", s.step},
            {"compute_all", s.compute_all},
            {"reduce", s.reduce},
            {"apply_all", s.apply_all},
            {"compute", s.compute},
            {"data", s.data},
            {"apply", s.apply}}},
          {"slowest",
           {{"worker", report.slowest.worker}, {"seconds", report.slowest.seconds}, {"others", report.slowest.others}}},
          {"checkpoint",
           {{"path", c.path},
            {"step", c.step},
            {"writing", c.writing},
            {"skipped", c.skipped},
            {"error", c.error},
            {"seconds", c.seconds}}},
          {"nodes", {{"joined", report.nodes.joined}, {"left", report.nodes.left}}},
          {"copies",
           {{"step", copies.step},
            {"bytes_sent", copies.bytes_sent},
            {"bytes", copies.bytes},
            {"error", copies.error},
            {"seconds", copies.seconds},
            {"ring", copies.ring}}}};
}

}  // namespace

ReportFile::ReportFile(const std::string& path, Precision precision, std::int64_t steps_done)
    : precision_(precision),
      file_(path, steps_done > 0, [steps_done](const std::string& text) { return end_of(text, steps_done); }) {}

void ReportFile::write(const StepReport& report, const std::optional<StepHash>& hash) {
  auto line = to_json(report, precision_);
  if (hash)
    line["hash"] = {{"loss", hex(std::bit_cast<std::uint64_t>(hash->loss))},
                    {"gradient_norm", hex(std::bit_cast<std::uint64_t>(hash->gradient_norm))},
                    {"weights", hex(hash->weights)}};
  write_line(line);
}

void ReportFile::write(const EpochReport& epoch) {
  nlohmann::ordered_json line{{"epoch", epoch.epoch},
                              {"step", epoch.step},
                              {"samples", epoch.samples},
                              {"unit", epoch.unit},
                              {"loss", epoch.loss},
                              {"accuracy", nullptr},
                              {"learning_rate", epoch.learning_rate},
                              {"seconds", epoch.seconds},
                              {"samples_per_second", epoch.samples_per_second()},
                              {"test", nullptr}};
  if (epoch.accuracy) line["accuracy"] = *epoch.accuracy;
  if (epoch.test) line["test"] = evaluation_json(*epoch.test);
  if (epoch.validation) line["validation"] = evaluation_json(*epoch.validation);
  write_line(line);
}

void ReportFile::write(const Evaluation& evaluation, EvaluationSet set, std::int64_t step) {
  nlohmann::ordered_json object{{"step", step}, {"set", set == EvaluationSet::test ? "test" : "validation"}};
  object.update(evaluation_json(evaluation));
  write_line({{"evaluation", object}});
}

void ReportFile::write(std::span<const ProfileRow> profile) { write_line({{"profile", profile_json(profile)}}); }

void ReportFile::write_line(const nlohmann::ordered_json& object) {
  using nlohmann::json;
  const std::string line = object.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + '\n';
  file_.write(line);
}

}  // namespace troupe::cli
