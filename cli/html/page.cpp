#include "cli/html/page.hpp"

#include <span>

#include "cli/html/text.hpp"
#include "runtime/files/output_file.hpp"

namespace troupe::cli {
namespace {

constexpr std::size_t kMostOfNote = 2000;

/// An HTML element with a content security policy, which prevents the browser from loading anything from outside the
/// page.
constexpr const char* kPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
    "data:\">";

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ground:#fff;--panel:#f6f7f9;--ink:#1b1f24;--faint:#59636e;--grid:#d9dde2;
--c0:#1f6fb2;--c1:#d3571c;--c2:#2a8a4a;--c3:#8a4fbf;--c4:#b8860b;--c5:#c2317a;--c6:#0b8a92;--c7:#7a5c3e;--c8:#5b6b7b;--c9:#6a7f0a}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--panel:#1c2026;--ink:#e8eaed;--faint:#a4adb8;--grid:#363c44;
--c0:#5aa9e6;--c1:#f28e5b;--c2:#62c483;--c3:#b98ae6;--c4:#e0b84c;--c5:#ee7fb0;--c6:#4fc3cb;--c7:#c49f7a;--c8:#9fb0c2;--c9:#b5cc4a}}
@media print{:root{--ground:#fff;--panel:#fff;--ink:#000;--faint:#444;--grid:#ccc;
--c0:#1f6fb2;--c1:#d3571c;--c2:#2a8a4a;--c3:#8a4fbf;--c4:#b8860b;--c5:#c2317a;--c6:#0b8a92;--c7:#7a5c3e;--c8:#5b6b7b;--c9:#6a7f0a}
figure,tr,.heat{break-inside:avoid}h2,h3{break-after:avoid}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px;max-width:1100px;background:var(--ground);color:var(--ink);
font:15px/1.45 system-ui,"DejaVu Sans",sans-serif;print-color-adjust:exact;-webkit-print-color-adjust:exact}
h1{font-size:24px;margin:0}h2{font-size:19px;margin:36px 0 8px;border-bottom:1px solid var(--grid);padding-bottom:4px}
p{margin:6px 0}.note{color:var(--faint);overflow-wrap:anywhere}
.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(320px,100%),1fr));gap:16px;margin:12px 0}
figure{margin:12px 0;padding:10px;background:var(--panel);border-radius:6px;min-width:0}.row figure{margin:0}.row svg{max-width:480px}
figcaption{font-weight:600;overflow-wrap:anywhere}svg{display:block;width:100%;height:auto}
svg text{fill:var(--faint);font-size:11px}svg text.name{fill:var(--ink)}
.grid{stroke:var(--grid);stroke-width:1}.axis{stroke:var(--faint);stroke-width:1}
.bar{fill:var(--c0)}.point{fill-opacity:.55}.line{fill:none;stroke-width:1.5;stroke-linejoin:round}
.area{stroke:none;fill-opacity:.85}.mark{stroke:var(--c5);stroke-width:1.5;stroke-dasharray:4 3}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:8px 0;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 8px;text-align:right;border-bottom:1px solid var(--grid)}th:first-child,td:first-child{text-align:left}
th{font-weight:600}table.heat th,table.heat td{padding:2px 4px;font-size:12px;border:1px solid var(--ground)}
table.heat thead th{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;vertical-align:top;max-height:140px}
table.heat td{text-align:center;min-width:38px}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:12px;color:var(--faint)}
.key{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px}
.wide{overflow-x:auto}.wide svg{min-width:900px}@media print{.wide svg{min-width:0}}
.sheet{display:flex;flex-wrap:wrap;gap:6px;margin:4px 0 12px}.sheet figure{padding:0;margin:0;background:none}
.sheet img{display:block;width:64px;height:64px;object-fit:contain;image-rendering:pixelated;background:var(--panel)}
h3{font-size:14px;margin:10px 0 2px;overflow-wrap:anywhere}
)";

std::string rules_of_colour(int number) {
  const std::string colour = "var(--c" + std::to_string(number) + ")";
  const std::string name = ".c" + std::to_string(number);
  return name + "{fill:" + colour + "}.line" + name + "{fill:none;stroke:" + colour + "}.key" + name +
         "{background:" + colour + "}\n";
}

/// Returns the CSS rules of the ten colour classes (see `colour_class`), for filled shapes, lines and the keys of
/// legends.
std::string colour_rules() {
  std::string rules;
  for (int i = 0; i < 10; ++i) rules += rules_of_colour(i);
  return rules;
}

}  // namespace

Page::Page(const std::string& title, const std::string& subtitle) : title_(title) {
  add("<h1>" + escaped(title) + "</h1>");
  if (!subtitle.empty()) note(subtitle);
}

void Page::section(const std::string& title, const std::string& note_below) {
  add("<h2>" + escaped(title) + "</h2>");
  if (!note_below.empty()) note(note_below);
}

void Page::note(const std::string& text) { add("<p class=\"note\">" + escaped(text, kMostOfNote) + "</p>"); }

std::string Page::text() const {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + std::string(kPolicy) +
         "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + escaped(title_) +
         "</title>\n<style>" + kStyle + colour_rules() + "</style>\n</head>\n<body>\n" + body_ + "</body>\n</html>\n";
}

void Page::write(const std::string& path) const {
  OutputFile file(path);
  const std::string all = text();
  file.write(std::as_bytes(std::span(all)));
  file.commit();
}

}  // namespace troupe::cli
