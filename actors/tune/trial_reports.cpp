#include "actors/tune/trial_reports.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>

#include "models/files/strict_json.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe::tune {
namespace {

constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kOf = "of";  ///< the key of the iteration that the trainer counts
constexpr std::chrono::seconds kTableLockTimeout{10};
constexpr int kDeepestReport = 102;  ///< metrics may have 100 levels of nesting, and the line adds two levels

/// Calls `take` for each complete line of the file `path`.
/// @param take takes the line as JSON, and the position in the file of the first byte after the line
void for_each_line(const std::string& path, const std::function<void(const Json& line, std::size_t end)>& take) {
  const std::string text = InputFile(path).read_text();
  try {
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(parse_strictly(path, "a line", std::string_view(text).substr(begin, end - begin), kDeepestReport), end + 1);
  } catch (const Json::exception& error) {
    throw_bad_file(path, std::string("is damaged: ") + error.what());
  }
}

}  // namespace

std::string line_of(const Report& report) {
  const Json line = {{"iteration", report.iteration}, {"seconds", report.seconds}, {"metrics", report.metrics}};
  return line.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Report report_from(const Json& line) {
  return {line.at("iteration").get<std::int64_t>(), line.at("seconds").get<double>(), line.at("metrics")};
}

TrialReports::TrialReports(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (!file_) throw_cannot("write", path_);
  lock_ = LockBeside(file_.get(), path_, kTableLockTimeout, "another process runs this trial");
}

/// If the file has a line for the checkpoint, the iteration in that line determines which reports the checkpoint
/// includes. The position of the line does not, because reports before the line may be newer than the checkpoint. If
/// the file has no such line, the process ended after it had written the checkpoint and before it wrote the line. The
/// checkpoint then includes all reports in the file.
void TrialReports::rewind(std::int64_t checkpoint) {
  std::int64_t most = checkpoint == 0 ? 0 : std::numeric_limits<std::int64_t>::max();  // the last iteration that the
                                                                                       // checkpoint includes
  for_each_line(path_, [&](const Json& line, std::size_t /*end*/) {
    if (checkpoint > 0 && line.contains(kCheckpoint) && line[kCheckpoint] == checkpoint) most = line.at(kOf);
  });
  std::size_t kept = 0;
  std::int64_t last = 0;
  bool over = checkpoint == 0;
  count_ = 0;
  for_each_line(path_, [&](const Json& line, std::size_t end) {
    over = over || line.at(kOf) > most || (line.contains(kCheckpoint) && line[kCheckpoint] == checkpoint);
    if (over) return;
    kept = end;
    last = line.at(kOf);
    if (!line.contains(kCheckpoint)) ++count_;
  });
  if (::ftruncate(file_.get(), static_cast<off_t>(kept)) != 0 || ::lseek(file_.get(), 0, SEEK_END) < 0)
    throw_cannot("cut off", path_);
  if (checkpoint > 0) add_checkpoint(checkpoint, std::min(most, last));
}

Report TrialReports::add(Report report) {
  const std::int64_t of = std::exchange(report.iteration, ++count_);
  write("{\"" + std::string(kOf) + "\":" + std::to_string(of) + ',' + line_of(report).substr(1) + '\n');
  return report;
}

void TrialReports::add_checkpoint(std::int64_t number, std::int64_t iteration) {
  write(Json{{kCheckpoint, number}, {kOf, iteration}}.dump() + '\n');
}

void TrialReports::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_cannot("write", path_);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::vector<Report> read_reports(const std::string& path) {
  std::vector<Report> reports;
  if (!std::filesystem::exists(path)) return reports;
  for_each_line(path, [&](const Json& line, std::size_t /*end*/) {
    if (!line.contains(kCheckpoint)) reports.push_back(report_from(line));
  });
  return reports;
}

}  // namespace troupe::tune
