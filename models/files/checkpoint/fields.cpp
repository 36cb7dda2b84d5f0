#include "models/files/checkpoint/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"

namespace troupe {

using nlohmann::json;

Fields::Fields(std::string path, std::string prefix, const json& object)
    : path_(std::move(path)), prefix_(std::move(prefix)), object_(object) {}

void Fields::refuse(const std::string& name) const {
  throw_bad_file(path_, "field '" + prefix_ + name + "' has an invalid value");
}

const json& Fields::take(const std::string& name) {
  const auto found = object_.find(name);
  if (found == object_.end()) throw_bad_file(path_, "field '" + prefix_ + name + "' is missing");
  taken_.insert(name);
  return *found;
}

bool Fields::has(const std::string& name) const { return object_.contains(name); }

std::vector<std::string> Fields::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_.items()) names.push_back(name);
  return names;
}

std::int64_t Fields::integer(const std::string& name, std::int64_t least, std::int64_t most) {
  const std::uint64_t value = bits(name);
  if (std::cmp_less(value, least) || std::cmp_greater(value, most)) refuse(name);
  return static_cast<std::int64_t>(value);
}

std::uint64_t Fields::bits(const std::string& name) {
  const json& value = take(name);
  if (!value.is_number_unsigned()) refuse(name);
  return value.get<std::uint64_t>();
}

double Fields::number(const std::string& name) {
  const json& value = take(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(name);
  return value.get<double>();
}

bool Fields::boolean(const std::string& name) {
  const json& value = take(name);
  if (!value.is_boolean()) refuse(name);
  return value.get<bool>();
}

std::string Fields::text(const std::string& name) {
  const json& value = take(name);
  if (!value.is_string()) refuse(name);
  return value.get<std::string>();
}

std::vector<std::string> Fields::texts(const std::string& name) {
  const json& value = take(name);
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_string(); }))
    refuse(name);
  return value.get<std::vector<std::string>>();
}

std::uint64_t Fields::checksum(const std::string& name) {
  const std::string digits = text(name);
  std::uint64_t sum = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), sum, 16);
  if (hex(sum) != digits) refuse(name);
  return sum;
}

Fields Fields::object(const std::string& name) {
  const json& value = take(name);
  if (!value.is_object()) refuse(name);
  return {path_, prefix_ + name + ".", value};
}

std::string Fields::object_text(const std::string& name) {
  const json& value = take(name);
  if (!value.is_object()) refuse(name);
  return value.dump();
}

void Fields::finish() const {
  for (const std::string& name : names())
    if (!taken_.contains(name)) throw_bad_file(path_, "field '" + prefix_ + name + "' is unknown");
}

}  // namespace troupe
