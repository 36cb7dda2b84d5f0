#include "cli/train/report_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

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

nlohmann::ordered_json to_json(const StepReport& report, Precision precision) {
  const PhaseSeconds& s = report.seconds;
  const CheckpointReport& c = report.checkpoint;
  return {{"step", report.step},
          {"loss", report.loss},
          {"gradient_norm", report.gradient_norm},
          {"samples", report.samples},
          {"bytes_copied", report.bytes_copied},
          {"bytes_sent", report.bytes_sent},
          {"state_bytes", report.state_bytes},
          {"strategy", report.strategy},
          {"deterministic", report.deterministic},
          {"precision", to_string(precision)},
          {"left_out", report.left_out},
          {"repairs", to_json(report.repairs)},
          {"seconds",
           {{"step", s.step},
            {"compute_all", s.compute_all},
            {"reduce", s.reduce},
            {"apply_all", s.apply_all},
            {"compute", s.compute},
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

ReportFile::ReportFile(const std::string& path, Precision precision, bool goes_on)
    : path_(path), precision_(precision) {
  // Without O_NONBLOCK, opening a FIFO waits for its reader.
  const int from = goes_on ? O_APPEND : O_TRUNC;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | from | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) fail();
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file_.reset(::fdopen(descriptor, "w"));
  if (!file_) fail();
}

void ReportFile::write(const StepReport& report, const std::optional<StepHash>& hash) {
  auto line = to_json(report, precision_);
  if (hash)
    line["hash"] = {{"loss", hex(std::bit_cast<std::uint64_t>(hash->loss))},
                    {"gradient_norm", hex(std::bit_cast<std::uint64_t>(hash->gradient_norm))},
                    {"weights", hex(hash->weights)}};
  write_line(line);
}

void ReportFile::write(std::span<const ProfileRow> profile) { write_line({{"profile", profile_json(profile)}}); }

void ReportFile::write_line(const nlohmann::ordered_json& object) {
  const std::string line = object.dump() + '\n';
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) fail();
}

void ReportFile::close() {
  if (std::fclose(file_.release()) != 0) fail();
}

void ReportFile::fail() const {
  throw Error(ErrorCode::bad_file, "cannot write the report: " + std::generic_category().message(errno),
              {.object = path_});
}

}  // namespace troupe::cli
