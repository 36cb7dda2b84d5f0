#pragma once

#include <string>

namespace troupe::cli {

/// A self-contained HTML page: it contains no script and loads no other file or address. It is readable in light and
/// dark mode, and printable.
class Page {
 public:
  /// Starts a page. Title and subtitle are plain text; the subtitle may be empty.
  Page(const std::string& title, const std::string& subtitle);

  /// Adds a heading. @param note plain text below the heading; empty: none
  void section(const std::string& title, const std::string& note = "");
  /// Adds markup from the functions of charts.hpp and tables.hpp.
  void add(const std::string& markup) { body_ += markup + "\n"; }
  /// Starts a row of charts side by side, as many as fit.
  void begin_row() { body_ += "<div class=\"row\">\n"; }
  /// Ends the row of charts.
  void end_row() { body_ += "</div>\n"; }
  /// Adds a paragraph of plain text.
  void note(const std::string& text);

  /// Returns the complete page.
  std::string text() const;
  /// Writes the page to a file. @throws Error bad_file if the file cannot be written; an existing file is then
  /// unchanged
  void write(const std::string& path) const;

 private:
  std::string title_;
  std::string body_;
};

}  // namespace troupe::cli
