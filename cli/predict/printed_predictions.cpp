#include <algorithm>
#include <cstdio>

#include "cli/predict/picture.hpp"
#include "cli/predict/predictions.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

/// "9 (Ankle boot)", or "9".
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
