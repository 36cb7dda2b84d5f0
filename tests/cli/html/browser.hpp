#pragma once

#include <string>

namespace troupe_test {

/// The result of loading a page in a browser.
struct Rendered {
  std::string document;  ///< the page's elements after layout, as markup
  std::string console;   ///< lines that the browser wrote about the page, such as refused resources
};

/// Returns whether Chromium is installed.
bool has_browser();

/// Opens a file in headless Chromium without network access.
/// @throws std::runtime_error if Chromium fails or takes longer than a minute
Rendered render(const std::string& path);

}  // namespace troupe_test
