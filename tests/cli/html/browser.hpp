#pragma once

#include <string>

namespace troupe_test {

/// What a browser made of a page.
struct Rendered {
  std::string document;  ///< the page's elements after it was laid out, as markup
  std::string console;   ///< lines that the browser wrote about the page, such as about what it refused to load
};

/// Whether there is a Chromium.
bool has_browser();

/// Opens a file in Chromium without a window and without a network. @throws std::runtime_error when it fails or takes
/// longer than a minute
Rendered render(const std::string& path);

}  // namespace troupe_test
