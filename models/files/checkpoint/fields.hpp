#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Reads the members of a JSON object of a file; each must be taken once. A member that is missing, of another type or
/// out of range is an Error bad_file that names the field, such as "model.name".
class Fields {
 public:
  /// @param prefix prefix of the names in errors. `object` must outlive this.
  Fields(std::string path, std::string prefix, const nlohmann::json& object);

  bool has(const std::string& name) const;
  std::vector<std::string> names() const;

  std::int64_t integer(const std::string& name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::uint64_t bits(const std::string& name);
  /// Takes a finite number.
  double number(const std::string& name);
  bool boolean(const std::string& name);
  std::string text(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  /// Takes 16 hexadecimal digits, as written by `hex`.
  std::uint64_t checksum(const std::string& name);
  Fields object(const std::string& name);
  /// Takes an object and returns it as JSON text.
  std::string object_text(const std::string& name);
  void skip(const std::string& name) { taken_.insert(name); }
  /// Checks that there are no other members; call it at the end.
  void finish() const;

  [[noreturn]] void refuse(const std::string& name) const;

 private:
  const nlohmann::json& take(const std::string& name);

  std::string path_;
  std::string prefix_;
  const nlohmann::json& object_;
  std::set<std::string> taken_;
};

}  // namespace troupe
