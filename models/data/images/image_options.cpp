#include "models/data/images/image_options.hpp"

#include <charconv>

#include "models/data/damaged.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

std::int64_t length_of(const std::string& text, const std::string& name, const std::string& size) {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc{} || end != text.data() + text.size() || length < 1 || length > 65536)
    throw_invalid(name + ": size=" + size + " must be SIDE or HEIGHTxWIDTH");
  return length;
}

}  // namespace

void ImageOptions::add_to(DataOptions& options, const std::string& name) {
  options["size"] = [this, name](const std::string& value) {
    const std::size_t times = value.find('x');
    height = length_of(value.substr(0, times), name, value);
    width = times == std::string::npos ? height : length_of(value.substr(times + 1), name, value);
  };
  options["channels"] = [this, name](const std::string& value) {
    if (value != "1" && value != "3") throw_invalid(name + ": channels=" + value + " must be 1 or 3");
    channels = value == "1" ? 1 : 3;
  };
  options["damaged"] = [this, name](const std::string& value) { skips = skips_damaged(name + ": damaged", value); };
}

}  // namespace troupe
