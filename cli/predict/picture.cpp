#include "cli/predict/picture.hpp"

#include <algorithm>
#include <array>

namespace troupe::cli {
namespace {

constexpr std::int64_t kMostColumns = 28;
constexpr std::array kShades{" ", "░", "▒", "▓", "█"};

/// The mean over all channels of the pixels of a character, which is twice as high as wide.
struct Grid {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<float> brightness;
};

Grid grid_of(std::span<const float> sample, std::int64_t height, std::int64_t width) {
  Grid grid{.columns = std::min(width, kMostColumns), .rows = 1, .brightness = {}};
  grid.rows = std::max<std::int64_t>(1, height * grid.columns / width / 2);
  const std::int64_t pixels = height * width;
  const auto begin_of = [](std::int64_t cell, std::int64_t cells, std::int64_t size) { return cell * size / cells; };
  for (std::int64_t row = 0; row < grid.rows; ++row)
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      float sum = 0;
      std::int64_t count = 0;
      for (std::int64_t plane = 0; plane < std::ssize(sample); plane += pixels)
        for (std::int64_t y = begin_of(row, grid.rows, height); y < begin_of(row + 1, grid.rows, height); ++y)
          for (std::int64_t x = begin_of(column, grid.columns, width); x < begin_of(column + 1, grid.columns, width);
               ++x, ++count)
            sum += sample[static_cast<std::size_t>(plane + y * width + x)];
      grid.brightness.push_back(sum / static_cast<float>(std::max<std::int64_t>(1, count)));
    }
  return grid;
}

}  // namespace

std::string picture(std::span<const float> sample, const std::vector<std::int64_t>& shape) {
  if (shape.size() < 2 || shape.size() > 3) return "";
  const Grid grid = grid_of(sample, shape[shape.size() - 2], shape.back());
  const auto [darkest, brightest] = std::ranges::minmax(grid.brightness);
  const float range = std::max(brightest - darkest, 1e-20F);
  std::string text;
  for (std::size_t i = 0; i < grid.brightness.size(); ++i) {
    const float shade = (grid.brightness[i] - darkest) / range * static_cast<float>(kShades.size());
    text += kShades[std::min(static_cast<std::size_t>(shade), kShades.size() - 1)];
    if ((i + 1) % static_cast<std::size_t>(grid.columns) == 0) text += '\n';
  }
  return text;
}

}  // namespace troupe::cli
