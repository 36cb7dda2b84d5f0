#include "cli/node_table.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"
#include "runtime/text_table.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

using Row = std::vector<std::string>;

[[noreturn]] void refuse() { throw Error(ErrorCode::protocol, "the driver's answer is malformed"); }

std::string text(const nlohmann::json& node, const char* key) { return printable(node.at(key).get<std::string>()); }

/// Returns the integer with the key `key` as text. Refuses other numbers, because a driver sends only integers for
/// these keys.
std::string number(const nlohmann::json& node, const char* key) {
  const auto& value = node.at(key);
  if (!value.is_number_integer()) refuse();
  return value.dump();
}

Row row_of(const nlohmann::json& node) {
  return {text(node, "node"),
          text(node, "address"),
          number(node, "cores"),
          number(node, "devices"),
          number(node, "workers"),
          text(node, "state"),
          number(node, "round_trip_us") + " us",
          text(node, "copy_of"),
          number(node, "copy_step"),
          number(node, "copy_age_s") + " s"};
}

}  // namespace

std::string node_table(const std::string& answer) {
  std::vector<Row> rows{
      {"node", "address", "cores", "devices", "workers", "state", "round trip", "keeps copy of", "at step", "age"}};
  try {
    const auto nodes = parse_bounded(answer);
    if (!nodes.is_array()) refuse();
    for (const auto& node : nodes) rows.push_back(row_of(node));
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
  return text_table(rows);
}

}  // namespace troupe::cli
