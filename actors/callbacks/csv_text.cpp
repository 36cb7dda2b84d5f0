#include "actors/callbacks/csv_text.hpp"

#include <cmath>

namespace troupe {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char each : text) quoted.append(each == '"' ? 2 : 1, each);
  return quoted + '"';
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get_ref<const std::string&>());
  const double number = value.is_number_float() ? value.get<double>() : 0;
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  return csv_cell(value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + cell;
  return line + '\n';
}

std::vector<std::string> first_csv_line(std::string_view text, std::size_t& length) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (length = 0; length < text.size(); ++length) {
    const char at = text[length];
    if (at == '"') {
      const bool again = !quoted && length > 0 && text[length - 1] == '"';
      if (again) cells.back() += '"';  // the second of two in a quoted cell opens it again
      quoted = !quoted;
    } else if (at == ',' && !quoted) {
      cells.emplace_back();
    } else if (at == '\n' && !quoted) {
      ++length;
      return cells;
    } else {
      cells.back() += at;
    }
  }
  length = 0;
  return {};
}

std::size_t whole_csv(std::string_view text) {
  std::size_t whole = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) whole = i + 1;
  }
  return whole;
}

std::string widened_csv(std::string_view text, std::size_t more) {
  std::string wide;
  bool quoted = false;
  for (const char each : text) {
    if (each == '"') quoted = !quoted;
    if (each == '\n' && !quoted) wide.append(more, ',');
    wide += each;
  }
  return wide;
}

}  // namespace troupe
