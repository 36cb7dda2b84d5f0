#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "cli/predict/predictions.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

constexpr std::int64_t kMostColumns = 28;
constexpr std::array kShades{" ", "░", "▒", "▓", "█"};

/// The brightness of each character of a picture. This is the mean over all channels, and over all pixels that the
/// character covers. A character is twice as high as it is wide.
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

/// Returns a picture of a sample, drawn with block characters, at most 28 characters wide. The darkest place is a
/// space, and the brightest place is a full block. Colours become grey. Returns an empty text for a sample that is not
/// an image.
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

/// Returns the number and the name of a class, such as "9 (Ankle boot)"; only the number if classes have no names.
std::string class_text(const DataInfo& data, std::size_t number) {
  std::string text = std::to_string(number);
  if (number < data.class_names.size()) text += " (" + printable(data.class_names[number]) + ")";
  return text;
}

std::string numbers_text(std::span<const float> numbers) {
  std::string text;
  for (const float number : numbers) {
    char digits[32];
    std::snprintf(digits, sizeof digits, " %.6g", static_cast<double>(number));
    text += digits;
  }
  return text;
}

class PrintedPredictions final : public Predictions {
 public:
  PrintedPredictions(const DataInfo& data, bool pictures) : data_(data), pictures_(pictures) {}

  void add(const Prediction& prediction) override {
    if (prediction.left_out) {
      std::printf("%lld: cannot be read\n", static_cast<long long>(prediction.sample));
      return;
    }
    if (pictures_) std::fputs(picture(prediction.values, data_.shape).c_str(), stdout);
    std::printf("%lld:", static_cast<long long>(prediction.sample));
    data_.num_classes > 0 ? print_class(prediction) : print_numbers(prediction);
  }
  void finish() override {}

 private:
  void print_class(const Prediction& prediction) const {
    const std::size_t best = best_class(prediction.probabilities);
    std::printf(" class %s, probability %.4f", class_text(data_, best).c_str(),
                static_cast<double>(prediction.probabilities[best]));
    const std::int32_t label = prediction.target.label;
    if (label >= 0) std::printf(", label %s", class_text(data_, static_cast<std::size_t>(label)).c_str());
    std::fputs("\n", stdout);
  }

  static void print_numbers(const Prediction& prediction) {
    std::fputs(numbers_text(prediction.probabilities).c_str(), stdout);
    if (!prediction.target.values.empty()) std::printf(", target%s", numbers_text(prediction.target.values).c_str());
    std::fputs("\n", stdout);
  }

  const DataInfo& data_;
  bool pictures_;
};

}  // namespace

std::size_t best_class(std::span<const float> probabilities) {
  return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

std::unique_ptr<Predictions> printed_predictions(const DataInfo& data, bool pictures) {
  return std::make_unique<PrintedPredictions>(data, pictures);
}

}  // namespace troupe::cli
