#include <algorithm>
#include <string_view>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

using MakeCallback = std::shared_ptr<Callback> (*)(const std::string& path);
struct Kind {
  std::string_view prefix;
  MakeCallback make;
};
constexpr Kind kKinds[] = {
    {"csv:", callbacks::csv}, {"json:", callbacks::json_lines}, {"tensorboard:", callbacks::tensorboard}};

std::shared_ptr<Callback> callback_of(const std::string& text) {
  if (text == "progress") return callbacks::progress();
  for (const auto& [prefix, make] : kKinds)
    if (text.starts_with(prefix) && text.size() > prefix.size()) return make(text.substr(prefix.size()));
  throw_invalid("'" + printable(text) +
                "' is not a log; use csv:FILE, json:FILE, tensorboard:FOLDER or progress, separated by commas");
}

}  // namespace

Callbacks callbacks::from_text(const std::string& text) {
  Callbacks all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    all.push_back(callback_of(text.substr(from, comma - from)));
    from = comma + 1;
  }
  return all;
}

}  // namespace troupe
