#include <string>

#include "fuzz/support.hpp"
#include "runtime/http/content_range.hpp"
#include "runtime/http/s3_listing.hpp"
#include "runtime/http/url.hpp"

using namespace troupe;

namespace {

void check_url(const std::string& text) {
  const Url url = parse_url(text);
  fuzz::expect(is_url(text), "a URL begins like one");
  fuzz::expect(url.text().find('@') == std::string::npos || url.path.find('@') != std::string::npos ||
                   url.query.find('@') != std::string::npos,
               "a URL has no user name");
  const std::string shown = url.shown();
  fuzz::expect(shown.find('\n') == std::string::npos && shown.find('\x1b') == std::string::npos,
               "a URL in messages is printable");
}

}  // namespace

// What comes back from a server, and the names that ask for it: lists of objects, headers and URLs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto range = content_range_from(text))
    fuzz::expect(text.starts_with("bytes ") && text.find('/') != std::string::npos, "a range has a unit and a total");
  fuzz::may_refuse([&] { s3_listing("s3://bucket", text); }, {ErrorCode::bad_file});
  fuzz::may_refuse([&] { check_url(text); }, {ErrorCode::invalid_argument});
  return 0;
}
