#include "actors/tune/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/random.hpp"
#include "runtime/suggestion.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {
namespace {

const std::vector<std::string> kDistributions{"uniform", "loguniform", "quniform", "randint", "choice", "grid"};

/// Returns `place` as a key for error messages, such as "optimizer.lr" for the JSON pointer "/optimizer/lr".
std::string text_of(const Json::json_pointer& place) {
  std::string text;
  for (Json::json_pointer at = place; !at.empty(); at = at.parent_pointer()) {
    if (!text.empty()) text.insert(0, 1, '.');
    text.insert(0, at.back());
  }
  return printable(text);
}

[[noreturn]] void refuse(const Json::json_pointer& place, const std::string& what) {
  throw_invalid("space: " + (place.empty() ? "" : "'" + text_of(place) + "' ") + what);
}

std::vector<double> numbers_of(const std::string& name, const Json& arguments, std::size_t count,
                               const Json::json_pointer& place) {
  const std::string wanted = count == 3 ? "[low, high, step]" : "[low, high]";
  const bool numbers = std::ranges::all_of(arguments, [](const Json& each) { return each.is_number(); });
  if (arguments.size() != count || !numbers)
    refuse(place, "is " + name + " of " + printable(arguments.dump()) + ", which requires " + wanted);
  return arguments.get<std::vector<double>>();
}

/// Returns true if `number` is an integer that fits into std::int64_t.
bool is_whole(const Json& number) {
  return number.is_number_integer() &&
         (!number.is_number_unsigned() || number.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
}

void check_range(const std::string& name, const Json& arguments, const Json::json_pointer& place) {
  const auto numbers = numbers_of(name, arguments, name == "quniform" ? 3 : 2, place);
  const auto& [low, high] = std::tie(numbers[0], numbers[1]);
  const std::string range = name + " from " + arguments[0].dump() + " to " + arguments[1].dump();
  if (!std::isfinite(low) || !std::isfinite(high)) refuse(place, "is " + range + ", which is not finite");
  if (name == "loguniform" && low <= 0)
    refuse(place, "is " + range + ", and there is no logarithm of " + arguments[0].dump());
  if (low > high) refuse(place, "is " + range + ": low is above high");
  if (!std::isfinite(high - low)) refuse(place, "is " + range + ", which is too wide");
  if (low == high && name != "quniform") refuse(place, "is " + range + ", which is empty");
  if (name == "randint" && !(is_whole(arguments[0]) && is_whole(arguments[1])))
    refuse(place, "is " + range + ", which requires integers");
  if (name == "quniform" && !(numbers[2] > 0 && std::isfinite(numbers[2])))
    refuse(place, "is " + range + " in steps of " + arguments[2].dump() + ", which are not above 0");
  if (name == "quniform" && std::ceil(low / numbers[2]) > std::floor(high / numbers[2]))
    refuse(place, "is " + range + ", where no multiple of " + arguments[2].dump() + " lies");
}

/// Returns a random number from the uniform distribution over [low, high). Uses 53 random bits.
double between(double low, double high, Random& random) {
  const double share = static_cast<double>(random.below(std::uint64_t{1} << 53)) * 0x1p-53;
  return std::min(low + (high - low) * share, std::nextafter(high, low));
}

Json draw(const std::string& name, const Json& arguments, Random random) {
  if (name == "choice") return arguments[random.below(arguments.size())];
  if (name == "randint") {
    const auto low = static_cast<std::uint64_t>(arguments[0].get<std::int64_t>());
    const auto high = static_cast<std::uint64_t>(arguments[1].get<std::int64_t>());
    return static_cast<std::int64_t>(low + random.below(high - low));
  }
  const auto low = arguments[0].get<double>(), high = arguments[1].get<double>();
  if (name == "uniform") return between(low, high, random);
  if (name == "loguniform") return std::clamp(std::exp(between(std::log(low), std::log(high), random)), low, high);
  const auto step = arguments[2].get<double>();
  const double nearest = std::round((low < high ? between(low, high, random) : low) / step);
  const double multiple = std::clamp(nearest, std::ceil(low / step), std::floor(high / step));
  const bool whole = std::ranges::all_of(arguments, is_whole);
  return whole ? Json(static_cast<std::int64_t>(multiple) * arguments[2].get<std::int64_t>()) : Json(multiple * step);
}

}  // namespace

Space::Space(Json space) : space_(std::move(space)) {
  if (!space_.is_object())
    throw_invalid("a space must be an object, such as {\"learning_rate\": {\"loguniform\": [0.0001, 1]}}");
  find(space_, Json::json_pointer());
}

/// Finds the distributions in `value` and in the objects nested in `value`, and adds them to `drawn_`. Does not search
/// arrays, because an array is a constant, whatever it contains.
/// @param place the place of `value` in the space
void Space::find(const Json& value, const Json::json_pointer& place) {
  if (!value.is_object()) return;
  if (value.size() == 1 && !place.empty()) {
    const std::string& name = value.begin().key();
    if (std::ranges::find(kDistributions, name) != kDistributions.end()) return add(name, value.front(), place);
    const std::string near = did_you_mean(name, kDistributions);
    if (value.front().is_array() && !near.empty())
      refuse(place, "has an unknown distribution '" + printable(name) + "'" + near);
  }
  for (const auto& [key, each] : value.items()) find(each, place / key);
}

void Space::add(const std::string& name, const Json& arguments, const Json::json_pointer& place) {
  if (!arguments.is_array() || arguments.empty())
    refuse(place, "is " + name + " of " + printable(arguments.dump()) + ", which requires a non-empty list");
  if (name != "choice" && name != "grid") check_range(name, arguments, place);
  if (name == "grid") combinations_ *= static_cast<std::int64_t>(arguments.size());
  if (combinations_ > kMostTrials)
    throw_invalid("space: the grids have more than " + std::to_string(kMostTrials) + " combinations");
  const std::string path = place.to_string();
  drawn_.push_back({place, name, arguments, checksum(std::as_bytes(std::span(path)))});
}

std::int64_t Space::trials(int samples) const {
  const std::int64_t trials = samples * combinations_;
  if (trials > kMostTrials)
    throw_invalid(std::to_string(trials) + " trials are too many; the maximum is " + std::to_string(kMostTrials));
  return trials;
}

Json Space::config(std::uint64_t seed, std::int64_t index) const {
  Json config = space_;
  std::int64_t left = combinations_;
  for (const Drawn& each : drawn_) {
    if (each.name == "grid") {
      left /= static_cast<std::int64_t>(each.arguments.size());
      const auto at = static_cast<std::size_t>(index / left) % each.arguments.size();
      config[each.place] = each.arguments[at];
    } else {
      config[each.place] =
          draw(each.name, each.arguments, Random(seed, each.stream, static_cast<std::uint64_t>(index)));
    }
  }
  return config;
}

Json uniform(double low, double high) { return {{"uniform", {low, high}}}; }
Json loguniform(double low, double high) { return {{"loguniform", {low, high}}}; }
Json quniform(double low, double high, double step) { return {{"quniform", {low, high, step}}}; }
Json randint(std::int64_t low, std::int64_t high) { return {{"randint", {low, high}}}; }
Json choice(const std::vector<Json>& values) { return {{"choice", Json(Json::array_t(values))}}; }
Json grid(const std::vector<Json>& values) { return {{"grid", Json(Json::array_t(values))}}; }

}  // namespace troupe::tune
