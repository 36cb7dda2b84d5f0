#include "cli/train/report_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "cli/evaluate/evaluation_json.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/hash.hpp"
#include "runtime/processes/held_pipe_signal.hpp"

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

/// How the line of a step begins.
constexpr std::string_view kStep = R"({"step":)";

/// The step that a line tells of; 0 where it tells of something else.
std::int64_t step_of(std::string_view line) {
  std::int64_t step = 0;
  if (line.starts_with(kStep)) std::from_chars(line.data() + kStep.size(), line.data() + line.size(), step);
  return step;
}

/// Bytes up to the first line that tells of a later step or is not whole.
off_t end_of(const std::string& path, std::int64_t last_step) {
  std::ifstream file(path);
  off_t end = 0;
  for (std::string line; std::getline(file, line) && !file.eof() && step_of(line) <= last_step;)
    end += static_cast<off_t>(line.size()) + 1;
  return end;
}

/// Not a FIFO, and not what a shell has opened for our standard output, which may hold more than the report.
bool is_a_file(int descriptor) {
  struct stat file {};
  struct stat output {};
  if (::fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return false;
  return ::fstat(STDOUT_FILENO, &output) != 0 || output.st_dev != file.st_dev || output.st_ino != file.st_ino;
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
          {"bytes_pushed", report.bytes_pushed}};
}

nlohmann::ordered_json to_json(const LbfgsReport& report) {
  return {
      {"end", to_string(report.end)},      {"evaluations", report.evaluations}, {"objective", report.objective},
      {"step_length", report.step_length}, {"largest", report.largest},         {"pairs", report.pairs},
      {"portions", report.portions},       {"backups", report.backups},         {"backups_won", report.backups_won}};
}

/// The step comes first, where `step_of` looks for it.
nlohmann::ordered_json to_json(const StepReport& report, Precision precision) {
  const PhaseSeconds& s = report.seconds;
  const CheckpointReport& c = report.checkpoint;
  return {{"step", report.step},
          {"loss", report.loss},
          {"gradient_norm", report.gradient_norm},
          {"samples", report.samples},
          {"left_out_samples", report.left_out_samples},
          {"bytes_copied", report.bytes_copied},
          {"bytes_over_bus", report.bytes_over_bus},
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
            {"seconds", c.seconds}}}};
}

}  // namespace

ReportFile::ReportFile(const std::string& path, Precision precision, std::int64_t steps_done)
    : path_(path), precision_(precision) {
  // Without O_NONBLOCK, opening a FIFO waits for its reader.
  const int from = steps_done > 0 ? O_APPEND : 0;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | from | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) fail();
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file_.reset(::fdopen(descriptor, "w"));
  if (!file_) fail();
  if (!is_a_file(descriptor)) return;
  lock_alone(descriptor, path);
  if (::ftruncate(descriptor, steps_done > 0 ? end_of(path, steps_done) : 0) != 0) fail();
}

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
                              {"loss", epoch.loss},
                              {"learning_rate", epoch.learning_rate},
                              {"seconds", epoch.seconds},
                              {"samples_per_second", epoch.samples_per_second()},
                              {"test", nullptr}};
  if (epoch.test) line["test"] = evaluation_json(*epoch.test);
  if (epoch.validation) line["validation"] = evaluation_json(*epoch.validation);
  write_line(line);
}

void ReportFile::write(std::span<const ProfileRow> profile) { write_line({{"profile", profile_json(profile)}}); }

void ReportFile::write_line(const nlohmann::ordered_json& object) {
  using nlohmann::json;
  const std::string line = object.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + '\n';
  const HeldPipeSignal held;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0) fail();
}

void ReportFile::close() {
  if (std::fclose(file_.release()) != 0) fail();
}

void ReportFile::fail() const {
  throw Error(ErrorCode::bad_file, "cannot write the report: " + std::generic_category().message(errno),
              {.object = path_});
}

}  // namespace troupe::cli
