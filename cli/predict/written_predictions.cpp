#include <charconv>
#include <limits>
#include <vector>

#include "cli/predict/predictions.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/invalid.hpp"

namespace troupe::cli {
namespace {

/// Returns `text` in quotes, as a field of a CSV file.
std::string csv_field(const std::string& text) {
  std::string field = "\"";
  for (const char letter : text) field += letter == '"' ? std::string(2, '"') : std::string(1, letter);
  return field + '"';
}

/// Returns the shortest decimal text from which exactly the same float is read again.
std::string digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

constexpr std::size_t kClassFields = 4;  ///< for classes: number of fields of a row after the sample's number

class CsvPredictions final : public Predictions {
 public:
  CsvPredictions(std::string path, const DataInfo& data) : data_(data), path_(std::move(path)), file_(path_) {
    text_ = "sample";
    if (data.num_classes > 0) text_ += ",class,name,probability,label";
    for (std::int64_t i = 0; i < data.num_targets; ++i) text_ += ",output_" + std::to_string(i);
    for (std::int64_t i = 0; i < data.num_targets; ++i) text_ += ",target_" + std::to_string(i);
    text_ += '\n';
  }

  void add(const Prediction& prediction) override {
    text_ += std::to_string(prediction.sample);
    if (prediction.left_out)
      text_.append(data_.num_classes > 0 ? kClassFields : 2 * prediction.probabilities.size(), ',');
    else
      data_.num_classes > 0 ? add_class(prediction) : add_numbers(prediction);
    text_ += '\n';
  }
  void finish() override {
    file_.write(std::as_bytes(std::span(text_)));
    file_.commit();
  }

 private:
  void add_class(const Prediction& prediction) {
    const std::size_t best = best_class(prediction.probabilities);
    const std::int32_t label = prediction.target.label;
    text_ += ',' + std::to_string(best) + ',';
    if (best < data_.class_names.size()) text_ += csv_field(data_.class_names[best]);
    text_ += ',' + digits(prediction.probabilities[best]) + ',' + (label >= 0 ? std::to_string(label) : "");
  }

  void add_numbers(const Prediction& prediction) {
    for (const float output : prediction.probabilities) text_ += ',' + digits(output);
    for (const float target : prediction.target.values) text_ += ',' + digits(target);
    if (prediction.target.values.empty()) text_.append(prediction.probabilities.size(), ',');
  }

  const DataInfo& data_;
  std::string path_;
  /// Made in the constructor, so that a missing folder is reported before any predictions are computed.
  OutputFile file_;
  std::string text_;
};

class NpyPredictions final : public Predictions {
 public:
  explicit NpyPredictions(std::string path) : path_(std::move(path)) {}

  void add(const Prediction& prediction) override {
    width_ = std::ssize(prediction.probabilities);
    if (prediction.left_out)
      floats_.insert(floats_.end(), prediction.probabilities.size(), std::numeric_limits<float>::quiet_NaN());
    else
      floats_.insert(floats_.end(), prediction.probabilities.begin(), prediction.probabilities.end());
  }
  void finish() override { write_npy(path_, {width_ == 0 ? 0 : std::ssize(floats_) / width_, width_}, floats_); }

 private:
  std::string path_;
  std::int64_t width_ = 0;
  std::vector<float> floats_;
};

}  // namespace

std::unique_ptr<Predictions> written_predictions(const std::string& path, const DataInfo& data) {
  if (path.ends_with(".csv")) return std::make_unique<CsvPredictions>(path, data);
  if (path.ends_with(".npy")) return std::make_unique<NpyPredictions>(path);
  throw_invalid("--out '" + path + "' must end in .csv or .npy");
}

}  // namespace troupe::cli
