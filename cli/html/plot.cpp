#include "cli/html/plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = 14;
constexpr double kTop = 10;
constexpr double kTickRoom = 18;
constexpr double kNameRoom = 16;  // space for the name of the x-axis, if it has a name
/// The ends of an axis are limited to this magnitude, so that the difference of two numbers is finite.
constexpr double kLargest = 1e300;

double drawable(double number) { return std::isfinite(number) ? std::clamp(number, -kLargest, kLargest) : 0; }

std::string line(const char* kind, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + place(x1) + "\" y1=\"" + place(y1) + "\" x2=\"" +
         place(x2) + "\" y2=\"" + place(y2) + "\"/>";
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const std::string& more = "") {
  return "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" + text +
         "</text>";
}

}  // namespace

Range::Range(double from, double to, bool whole_numbers)
    : least(drawable(from)), most(drawable(to)), whole(whole_numbers) {
  if (least > most) std::swap(least, most);
  // Widens a range whose ends are (almost) equal, because there would be no different numbers for ticks between its
  // ends.
  const double room = std::max({std::abs(least), std::abs(most), 1e-300}) * 1e-9;
  if (most - least > room) return;
  const double around = least == 0 ? 0.5 : std::abs(least) / 2;
  least -= around;
  most += around;
}

std::string colour_class(std::size_t i) { return "c" + std::to_string(i % 10); }

Plot::Plot(std::string title, std::string x_name, std::string y_name, Range x, Range y, Size size)
    : title_(std::move(title)), x_name_(std::move(x_name)), y_name_(std::move(y_name)), x_(x), y_(y), size_(size) {
  const double rounding = (x.most - x.least) * 0.01;
  for (const double tick : round_ticks(x.least, x.most, std::max(3, static_cast<int>(size.width / 80)))) {
    const bool within = tick >= x.least - rounding && tick <= x.most + rounding;
    if (within && (!x.whole || tick == std::round(tick))) x_ticks_.push_back(tick);
  }
  y_ticks_ = round_ticks(y.least, y.most, 4);
  y_ = Range(y_ticks_.front(), y_ticks_.back());
  bottom_ = size.height - kTickRoom - (x_name_.empty() ? 0 : kNameRoom);
  draw_axes();
}

double Plot::x(double number) const {
  return kLeft + (drawable(number) - x_.least) / (x_.most - x_.least) * (size_.width - kLeft - kRight);
}

double Plot::y(double number) const {
  return bottom_ - (drawable(number) - y_.least) / (y_.most - y_.least) * (bottom_ - kTop);
}

void Plot::draw_axes() {
  const double right = size_.width - kRight;
  const double x_step = x_ticks_.size() > 1 ? x_ticks_[1] - x_ticks_[0] : x_.most - x_.least;
  const double y_step = y_ticks_[1] - y_ticks_[0];
  for (const double tick : y_ticks_) {
    draw(line("grid", kLeft, y(tick), right, y(tick)));
    draw(text_at(kLeft - 5, y(tick) + 4, "end", tick_text(tick, y_step)));
  }
  for (const double tick : x_ticks_) {
    draw(line("axis", x(tick), bottom_, x(tick), bottom_ + 4));
    draw(text_at(x(tick), bottom_ + kTickRoom - 3, "middle", tick_text(tick, x_step)));
  }
  draw(line("axis", kLeft, bottom_, right, bottom_));
  draw(text_at((kLeft + right) / 2, size_.height - 4, "middle",
               escaped(shortened(x_name_, static_cast<std::size_t>(size_.width / 8))), " class=\"name\""));
  const double middle = (kTop + bottom_) / 2;
  draw(text_at(11, middle, "middle", escaped(shortened(y_name_, 26)),
               " class=\"name\" transform=\"rotate(-90 11 " + place(middle) + ")\""));
}

void Plot::legend(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    legend_ +=
        "<span><span class=\"key " + colour_class(i) + "\"></span>" + escaped(shortened(names[i], 40)) + "</span>";
}

std::string Plot::markup() const {
  const std::string title = escaped(title_);
  return "<figure" + std::string(size_.width >= kWide.width ? " class=\"wide\"" : "") + "><figcaption>" + title +
         "</figcaption><svg viewBox=\"0 0 " + place(size_.width) + " " + place(size_.height) +
         "\" role=\"img\" aria-label=\"" + title + "\">\n" + body_ + "</svg>" +
         (legend_.empty() ? "" : "<div class=\"legend\">" + legend_ + "</div>") + "</figure>";
}

}  // namespace troupe::cli
