#include "models/files/input_encoding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Role = InputColumn::Role;

constexpr std::array<std::pair<Role, const char*>, 4> kRoles{
    {{Role::feature, "feature"}, {Role::target, "target"}, {Role::label, "class"}, {Role::ignored, "ignored"}}};
constexpr std::uint32_t kMostSymbol = 0x10ffff;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw_bad_file(path, "the description of the network's inputs " + what);
}

ordered_json column_json(const InputColumn& column) {
  const auto* const role = std::ranges::find(kRoles, column.role, &std::pair<Role, const char*>::first);
  ordered_json object{{"name", column.name}, {"role", role->second}, {"text", column.is_text}};
  if (!column.categories.empty()) object["categories"] = column.categories;
  if (column.fill) object["fill"] = *column.fill;
  return object;
}

InputColumn read_column(const std::string& path, const json& object) {
  InputColumn column;
  object.at("name").get_to(column.name);
  const auto name = object.at("role").get<std::string>();
  const auto* const role = std::ranges::find(kRoles, name, &std::pair<Role, const char*>::second);
  if (role == kRoles.end()) refuse(path, "has a column with the unknown role " + name);
  column.role = role->first;
  object.at("text").get_to(column.is_text);
  if (object.contains("categories")) object["categories"].get_to(column.categories);
  if (object.contains("fill")) column.fill = object["fill"].get<float>();
  if (column.fill && !std::isfinite(*column.fill)) refuse(path, "has a column whose fill value is not a finite number");
  const bool has_categories = column.role != Role::ignored && column.is_text;
  if (has_categories == column.categories.empty())
    refuse(path, "has a text column without categories, or categories for a column that is not text");
  return column;
}

}  // namespace

ordered_json to_json(const InputEncoding& encoding) {
  ordered_json object = ordered_json::object();
  for (const InputColumn& column : encoding.columns) object["columns"].push_back(column_json(column));
  if (!encoding.columns.empty()) object["header"] = encoding.header;
  if (!encoding.symbols.empty()) {
    object["symbols"] = encoding.symbols;
    object["symbols_are_bytes"] = encoding.symbols_are_bytes;
  }
  return object;
}

InputEncoding encoding_from_json(const std::string& path, const json& object) {
  InputEncoding encoding;
  if (!object.is_object()) refuse(path, "is not an object");
  try {
    if (object.contains("columns"))
      for (const json& column : object["columns"]) encoding.columns.push_back(read_column(path, column));
    if (!encoding.columns.empty()) object.at("header").get_to(encoding.header);
    if (object.contains("symbols")) {
      object["symbols"].get_to(encoding.symbols);
      object.at("symbols_are_bytes").get_to(encoding.symbols_are_bytes);
    }
  } catch (const json::exception&) {
    refuse(path, "has a missing key or a value of the wrong type");
  }
  const bool ascending = std::ranges::adjacent_find(encoding.symbols, std::greater_equal<>()) == encoding.symbols.end();
  if (!ascending || (!encoding.symbols.empty() && encoding.symbols.back() > kMostSymbol))
    refuse(path, "has symbols that are not in ascending order or out of range");
  std::vector<std::string> names;
  for (const InputColumn& column : encoding.columns) names.push_back(column.name);
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end()) refuse(path, "has two columns with the same name");
  return encoding;
}

}  // namespace troupe
