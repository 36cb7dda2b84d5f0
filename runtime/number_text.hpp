#pragma once

#include <array>
#include <charconv>
#include <string>

namespace troupe {

/// A number with a point, whatever the locale: `digits` behind it ("%.*f" of the C locale).
inline std::string fixed_text(double number, int digits) {
  std::array<char, 400> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, digits).ptr};
}

/// The same with so many significant digits ("%.*g" of the C locale).
inline std::string short_text(double number, int digits) {
  std::array<char, 64> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits).ptr};
}

}  // namespace troupe
