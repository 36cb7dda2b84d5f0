#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Reads the members of a JSON object from a file. Callers read each expected member by its name, and then call
/// `finish`, which rejects unknown members. If a member is missing, of another type or out of range, the functions
/// throw Error bad_file; the message names the member, such as "model.name".
class Fields {
 public:
  /// @param path the file, for error messages
  /// @param prefix precedes the names of members in error messages, such as "model."
  /// @param object the JSON object; must outlive this object
  Fields(std::string path, std::string prefix, const nlohmann::json& object);

  bool has(const std::string& name) const;
  std::vector<std::string> names() const;

  std::int64_t integer(const std::string& name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Returns the member `name`, which must be an integer from 0 to 2^64 - 1.
  std::uint64_t bits(const std::string& name);
  /// Returns the member `name`, which must be a finite number.
  double number(const std::string& name);
  bool boolean(const std::string& name);
  std::string text(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  /// Returns the number in the member `name`, which must be a text of 16 hexadecimal digits, as `hex` writes it.
  std::uint64_t checksum(const std::string& name);
  Fields object(const std::string& name);
  /// Returns the member `name`, which must be a JSON object, as text.
  std::string object_text(const std::string& name);
  /// Makes `finish` accept the member `name`, whatever its value is.
  void skip(const std::string& name) { taken_.insert(name); }
  /// Checks that all members of the object have been read or skipped. Must be called last.
  void finish() const;

  /// Throws Error bad_file, with the message that the member `name` has an invalid value.
  [[noreturn]] void refuse(const std::string& name) const;

 private:
  const nlohmann::json& take(const std::string& name);

  std::string path_;
  std::string prefix_;
  const nlohmann::json& object_;
  std::set<std::string> taken_;
};

}  // namespace troupe
