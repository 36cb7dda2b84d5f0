#include "cli/node_table.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
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
          text(node, "copy_of")};
}

/// Returns the line about the copies that the nodes have made; an empty text if there is none.
std::string copies_line(const nlohmann::json& copies) {
  const std::string step = number(copies, "step");
  const std::string rest = " s ago, step " + step + "; all copies so far: " + number(copies, "bytes_sent") +
                           " bytes sent in " + number(copies, "milliseconds") + " ms\n";
  return step == "-1" ? "" : "newest copy of the state: " + number(copies, "age_s") + rest;
}

/// Returns the names in the array `names` after the text `before`; an empty text if there are none.
std::string names(const nlohmann::json& names, std::string_view before) {
  std::string list;
  for (const auto& name : names)
    list += (list.empty() ? std::string(before) : ", ") + printable(name.get<std::string>());
  return list;
}

std::string change_line(const nlohmann::json& change) {
  const std::string step = number(change, "step");
  return "changed " + number(change, "age_s") + " s ago" + (step == "-1" ? "" : ", after step " + step) +
         names(change.at("joined"), "; joined: ") + names(change.at("left"), "; left: ") + '\n';
}

}  // namespace

std::string node_table(const std::string& answer) {
  std::vector<Row> rows{{"node", "address", "cores", "devices", "workers", "state", "round trip", "keeps copy of"}};
  try {
    const auto status = parse_bounded(answer);
    const auto& nodes = status.at("nodes");
    const auto& changes = status.at("changes");
    if (!nodes.is_array() || !changes.is_array()) refuse();
    for (const auto& node : nodes) rows.push_back(row_of(node));
    std::string lines = copies_line(status.at("copies"));
    for (const auto& change : changes) lines += change_line(change);
    return text_table(rows) + lines;
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
}

}  // namespace troupe::cli
