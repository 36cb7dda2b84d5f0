#include "cli/profile.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "troupe/error.hpp"

namespace troupe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LayerTime, kind, layers, forward_seconds, backward_seconds, forward_flops,
                                   backward_flops, beside)

}  // namespace troupe

namespace troupe::cli {
namespace {

double seconds_of(const LayerTime& time) { return time.forward_seconds + time.backward_seconds; }

double gflops(double flops, double seconds) { return seconds > 0 ? flops / seconds * 1e-9 : 0; }

LayerTime sum_of(const std::vector<LayerTime>& times) {
  LayerTime sum;
  sum.kind = "all";
  for (const LayerTime& time : times) {
    if (time.beside) continue;
    sum.layers += time.layers;
    sum.forward_seconds += time.forward_seconds;
    sum.backward_seconds += time.backward_seconds;
    sum.forward_flops += time.forward_flops;
    sum.backward_flops += time.backward_flops;
  }
  return sum;
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string rate_text(double rate) { return rate > 0 ? fixed(rate, 1) : "-"; }

}  // namespace

nlohmann::json layer_times_json(const std::vector<LayerTime>& times) { return times; }

std::vector<LayerTime> read_layer_times(const nlohmann::json& times) {
  try {
    return times.get<std::vector<LayerTime>>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::protocol, "a worker's profile is malformed");
  }
}

std::vector<ProfileRow> profile_rows(const std::vector<LayerTime>& times) {
  if (times.empty()) return {};
  std::vector<LayerTime> ordered;
  std::ranges::copy_if(times, std::back_inserter(ordered), [](const LayerTime& time) { return !time.beside; });
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const LayerTime& a, const LayerTime& b) { return seconds_of(a) > seconds_of(b); });
  ordered.push_back(sum_of(times));
  const double whole = seconds_of(ordered.back());
  std::ranges::copy_if(times, std::back_inserter(ordered), &LayerTime::beside);
  std::vector<ProfileRow> rows;
  rows.reserve(ordered.size());
  for (const LayerTime& time : ordered)
    rows.push_back({time.kind, time.layers, time.forward_seconds, time.backward_seconds,
                    gflops(time.forward_flops, time.forward_seconds),
                    gflops(time.backward_flops, time.backward_seconds), whole > 0 ? seconds_of(time) / whole : 0,
                    time.beside});
  return rows;
}

std::string profile_table(std::span<const ProfileRow> rows) {
  using Cells = std::array<std::string, 7>;
  std::vector<Cells> lines{
      {"layer", "layers", "forward s", "backward s", "forward GFLOP/s", "backward GFLOP/s", "share"}};
  for (const ProfileRow& row : rows)
    lines.push_back({row.kind, std::to_string(row.layers), fixed(row.forward_seconds, 3),
                     fixed(row.backward_seconds, 3), rate_text(row.forward_rate), rate_text(row.backward_rate),
                     fixed(100 * row.share, 1) + " %"});
  std::array<std::size_t, 7> widths{};
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::ostringstream table;
  for (const Cells& line : lines) {
    table << std::left << std::setw(static_cast<int>(widths[0])) << line[0] << std::right;
    for (std::size_t i = 1; i < widths.size(); ++i) table << "  " << std::setw(static_cast<int>(widths[i])) << line[i];
    table << '\n';
  }
  return table.str();
}

nlohmann::ordered_json profile_json(std::span<const ProfileRow> rows) {
  auto array = nlohmann::ordered_json::array();
  for (const ProfileRow& row : rows)
    array.push_back({{"kind", row.kind},
                     {"layers", row.layers},
                     {"forward_seconds", row.forward_seconds},
                     {"backward_seconds", row.backward_seconds},
                     {"forward_gflops_per_second", row.forward_rate},
                     {"backward_gflops_per_second", row.backward_rate},
                     {"share", row.share},
                     {"beside", row.beside}});
  return array;
}

}  // namespace troupe::cli
