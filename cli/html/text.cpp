#include "cli/html/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

std::string formatted(const char* format, double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

}  // namespace

std::string escaped(std::string_view text, std::size_t most) {
  std::string safe;
  for (const char letter : printable(text, most)) switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += letter;
    }
  return safe;
}

std::string short_number(double number) {
  if (!std::isfinite(number)) return "–";
  if (std::abs(number) >= 1e4 && std::abs(number) < 1e9) return grouped(std::llround(number));
  return formatted("%.4g", number == 0 ? 0 : number);  // avoids -0
}

std::string tick_text(double number, double step) {
  if (std::abs(number) < step / 2) return "0";
  constexpr std::array<const char*, 5> kThousands{"", "k", "M", "G", "T"};
  const auto power = [](double of) { return static_cast<int>(std::floor(std::log10(of) + 1e-9)); };
  const int exponent = power(std::abs(number));
  const int thousands = exponent >= 4 && exponent < 15 ? exponent / 3 : 0;
  const double shown = number / std::pow(1000, thousands);
  const bool plain = exponent >= -4 && exponent < 15;
  const int digits = std::clamp(plain ? 3 * thousands - power(step) : exponent - power(step) + 1, plain ? 0 : 1, 15);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), plain ? "%.*f" : "%.*g", digits, shown);
  return text.data() + std::string(kThousands[static_cast<std::size_t>(thousands)]);
}

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > sign + 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string place(double at) { return formatted("%.1f", std::isfinite(at) ? at : 0); }

std::string shortened(std::string_view text, std::size_t letters) {
  std::vector<std::size_t> begins;  // position of the first byte of each character
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) begins.push_back(i);
  if (begins.size() <= letters) return std::string(text);
  const std::size_t tail = (letters - 1) / 3;
  const std::size_t head = letters - 1 - tail;
  const std::string_view rest = tail == 0 ? "" : text.substr(begins[begins.size() - tail]);
  return std::string(text.substr(0, begins[head])) + "…" + std::string(rest);
}

std::vector<double> round_ticks(double least, double most, int about) {
  const double rough = (most - least) / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  const double step = power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::floor(least / step + 1e-9);
  const double last = std::ceil(most / step - 1e-9);
  if (!(std::abs(first) < 1e15 && last - first < 1000)) return {least, most};
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

}  // namespace troupe::cli
