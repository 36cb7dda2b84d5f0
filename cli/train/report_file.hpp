#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "cli/profile.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// By what two runs are compared, bit by bit.
struct StepHash {
  double loss = 0;
  double gradient_norm = 0;   ///< 0 where nothing is clipped
  std::uint64_t weights = 0;  ///< checksum, in canonical order
};

/// JSON lines, one object a step, and one for the profile where there is one.
class ReportFile {
 public:
  /// @param goes_on the steps before, which are there already, stay
  /// @throws Error bad_file, as the others do; also for a FIFO that nobody reads.
  ReportFile(const std::string& path, Precision precision, bool goes_on);

  /// @param hash to be told beside it.
  void write(const StepReport& report, const std::optional<StepHash>& hash = {});
  /// One object of its own: what `profile_json` makes, under "profile".
  void write(std::span<const ProfileRow> profile);
  /// All of it must have been written.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write_line(const nlohmann::ordered_json& object);
  [[noreturn]] void fail() const;

  std::string path_;
  Precision precision_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace troupe::cli
