#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Reads the members of a JSON object from a file. Callers read each member once and then call `finish`, which rejects
/// unknown members. If a member is missing, of another type or out of range, the functions throw Error bad_file that
/// names the member, such as "model.name".
class Fields {
 public:
  /// @param path the file, for error messages
  /// @param prefix precedes the names of members in error messages, such as "model."
  /// @param object must outlive this object
  Fields(std::string path, std::string prefix, const nlohmann::json& object);

  bool has(const std::string& name) const;
  std::vector<std::string> names() const;

  std::int64_t integer(const std::string& name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Returns an integer from 0 to 2^64 - 1.
  std::uint64_t bits(const std::string& name);
  /// Returns a number, which must be finite.
  double number(const std::string& name);
  bool boolean(const std::string& name);
  std::string text(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  /// Returns the number that a text of 16 hexadecimal digits contains, as written by `hex`.
  std::uint64_t checksum(const std::string& name);
  Fields object(const std::string& name);
  /// Returns a member that is an object as JSON text.
  std::string object_text(const std::string& name);
  /// Accepts a member with any value.
  void skip(const std::string& name) { taken_.insert(name); }
  /// Checks that the object has no other members than those that were read. Must be called last.
  void finish() const;

  /// Throws the error for a member with an invalid value.
  [[noreturn]] void refuse(const std::string& name) const;

 private:
  const nlohmann::json& take(const std::string& name);

  std::string path_;
  std::string prefix_;
  const nlohmann::json& object_;
  std::set<std::string> taken_;
};

}  // namespace troupe
