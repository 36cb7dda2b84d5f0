#pragma once

#include <string>

namespace troupe::cli {

/// A page for a browser that needs nothing but itself: no script, and no file or address besides it. It is to be read
/// in light and dark, and printed.
class Page {
 public:
  /// Plain texts; the second may be empty.
  Page(const std::string& title, const std::string& subtitle);

  /// A heading. @param note plain text below it; may be empty
  void section(const std::string& title, const std::string& note = "");
  /// Markup, as the functions of charts.hpp and tables.hpp make it.
  void add(const std::string& markup) { body_ += markup + "\n"; }
  /// Charts side by side, as many as there is room for.
  void begin_row() { body_ += "<div class=\"row\">\n"; }
  void end_row() { body_ += "</div>\n"; }
  /// Plain text.
  void note(const std::string& text);

  std::string text() const;
  /// @throws Error bad_file where the file cannot be written; then it is as it was.
  void write(const std::string& path) const;

 private:
  std::string title_;
  std::string body_;
};

}  // namespace troupe::cli
