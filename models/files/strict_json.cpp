#include "models/files/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

using nlohmann::json;

class Watch {
 public:
  Watch(const std::string& path, const std::string& what, int deepest)
      : path_(path), what_(what), deepest_(deepest), keys_(static_cast<std::size_t>(deepest) + 1) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > deepest_) throw_bad_file(path_, what_ + " is nested too deeply");
    if (event == json::parse_event_t::object_start) keys_[static_cast<std::size_t>(depth)].clear();
    if (event == json::parse_event_t::key &&
        !keys_[static_cast<std::size_t>(depth - 1)].insert(parsed.get_ref<const std::string&>()).second) {
      throw_bad_file(path_, "'" + parsed.get_ref<const std::string&>() + "' comes twice in " + what_);
    }
    return true;
  }

 private:
  const std::string& path_;
  const std::string& what_;
  const int deepest_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects around what is being parsed
};

}  // namespace

json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest) {
  Watch watch(path, what, deepest);
  try {
    return json::parse(
        text, [&watch](int depth, json::parse_event_t event, json& parsed) { return watch(depth, event, parsed); });
  } catch (const json::exception&) {
    throw_bad_file(path, what + " is not JSON");
  }
}

}  // namespace troupe
