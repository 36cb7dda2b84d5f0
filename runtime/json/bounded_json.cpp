#include "runtime/json/bounded_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using nlohmann::json;

// Estimated bytes of memory of one JSON value, one array or object, and one key. They include the overhead of the
// allocator and of growing arrays.
constexpr std::size_t kValue = 32;
constexpr std::size_t kContainer = 64;
constexpr std::size_t kKey = 96;

/// Builds the JSON value from the parser's events, and stops the parser when a bound is exceeded.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(const JsonBounds& bounds, std::string& fault) : bounds_(bounds), fault_(fault) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override {
    const std::size_t bytes = value.size();
    return spend(kContainer + bytes) && add(std::move(value));
  }
  bool binary(binary_t& /*value*/) override { return fail("is not JSON"); }
  bool start_object(std::size_t /*elements*/) override { return open(json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!spend(kKey + name.size())) return false;
    json& object = *open_.back();
    const auto [place, is_new] = object.get_ref<json::object_t&>().try_emplace(std::move(name));
    if (!is_new && !bounds_.keys_may_repeat) return fail("has the key '" + printable(place->first, 100) + "' twice");
    slot_ = &place->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& /*error*/) override {
    return fail("is not JSON at byte " + std::to_string(position));
  }

 private:
  bool fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    return false;
  }

  bool spend(std::size_t bytes) {
    spent_ += bytes;
    if (spent_ <= bounds_.memory) return true;
    return fail("takes more than " + std::to_string(bounds_.memory >> 20) + " MB of memory");
  }

  /// Returns the memory for the next value; null if the bound on memory is exceeded.
  json* place() {
    if (!spend(kValue)) return nullptr;
    if (open_.empty()) return &root_;
    if (open_.back()->is_object()) return slot_;
    auto& array = open_.back()->get_ref<json::array_t&>();
    return &array.emplace_back();
  }

  template <class Value>
  bool add(Value&& value) {
    json* const to = place();
    if (to != nullptr) *to = std::forward<Value>(value);
    return to != nullptr;
  }

  bool open(json empty) {
    if (open_.size() == static_cast<std::size_t>(bounds_.deepest))
      return fail("is nested deeper than " + std::to_string(bounds_.deepest) + " levels");
    json* const to = spend(kContainer) ? place() : nullptr;
    if (to == nullptr) return false;
    *to = std::move(empty);
    open_.push_back(to);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonBounds& bounds_;
  std::string& fault_;
  json root_;
  std::vector<json*> open_;  ///< arrays and objects that have not ended, outermost first
  json* slot_ = nullptr;     ///< place for the value of the last key
  std::size_t spent_ = 0;
};

}  // namespace

json parse_bounded(std::string_view text, const JsonBounds& bounds, std::string& fault) {
  fault.clear();
  Builder builder(bounds, fault);
  if (json::sax_parse(text, &builder)) return builder.take();
  if (fault.empty()) fault = "is not JSON";
  return json(json::value_t::discarded);
}

json parse_bounded(std::string_view text) {
  std::string fault;
  return parse_bounded(text, {}, fault);
}

void check_depth(const nlohmann::json& json, const char* what) {
  const int deepest = JsonBounds().deepest;
  std::vector<std::pair<const nlohmann::json*, int>> left{{&json, 1}};
  while (!left.empty()) {
    const auto [value, depth] = left.back();
    left.pop_back();
    if (!value->is_structured()) continue;
    if (depth > deepest)
      throw Error(ErrorCode::invalid_argument,
                  std::string(what) + " is nested deeper than " + std::to_string(deepest) + " levels");
    for (const nlohmann::json& each : *value) left.emplace_back(&each, depth + 1);
  }
}

}  // namespace troupe
