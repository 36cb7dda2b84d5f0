#include "actors/data/loaded_data.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "troupe/troupe.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

/// Appends a byte to the file. Returns the new size.
std::int64_t add_byte(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file || ::write(file.get(), "x", 1) != 1)
    throw Error(ErrorCode::bad_file, "not to be written", {.object = path});
  struct stat status = {};
  ::fstat(file.get(), &status);
  return status.st_size;
}

TrainingData make_loaded_data(const std::string& path, std::uint64_t /*seed*/) {
  constexpr std::int64_t kSamples = 30;
  const std::int64_t makes = add_byte(path);
  if (path.ends_with("fails")) throw Error(ErrorCode::bad_file, "it fails", {.object = path});
  if (path.ends_with("kills") && makes == 1) ::kill(::getpid(), SIGKILL);
  const auto set = [](int first) {
    std::vector<float> values;
    std::vector<std::int32_t> labels;
    for (int i = first; i < first + kSamples; ++i) {
      values.push_back(static_cast<float>(i % 7));
      values.push_back(static_cast<float>(i % 3));
      labels.push_back(i % 3);
    }
    return std::make_shared<const Dataset>(Dataset::classes({2}, std::move(values), std::move(labels), 3, "loaded"));
  };
  return {set(0), set(30)};
}

}  // namespace

void register_loaded_data() { register_data("loaded", make_loaded_data, {.arguments = ":FILE"}); }

}  // namespace troupe_test
