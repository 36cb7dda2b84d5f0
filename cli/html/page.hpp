#pragma once

#include <string>

namespace troupe::cli {

/// A self-contained HTML page. The page contains no script, and loads nothing from other files or addresses. The page
/// is readable in light and dark mode, and printable.
class Page {
 public:
  /// Starts a page. Title and subtitle are plain text; the subtitle may be empty.
  Page(const std::string& title, const std::string& subtitle);

  /// Adds a heading to the page. @param note plain text below the heading; empty: no text
  void section(const std::string& title, const std::string& note = "");
  /// Adds HTML markup to the page, which a function of charts.hpp or tables.hpp has returned.
  void add(const std::string& markup) { body_ += markup + "\n"; }
  /// Starts a row of charts. The charts that are added before `end_row` are placed side by side, if they fit.
  void begin_row() { body_ += "<div class=\"row\">\n"; }
  /// Ends a row of charts that `begin_row` has started.
  void end_row() { body_ += "</div>\n"; }
  /// Adds a paragraph of plain text to the page.
  void note(const std::string& text);

  /// Returns the complete page.
  std::string text() const;
  /// Writes the page to a file. If the file cannot be written, an existing file at the path stays unchanged.
  /// @throws Error bad_file if the file cannot be written
  void write(const std::string& path) const;

 private:
  std::string title_;
  std::string body_;
};

}  // namespace troupe::cli
