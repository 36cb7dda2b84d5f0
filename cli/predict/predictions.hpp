#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"

namespace troupe::cli {

/// The prediction for one sample, and its true label or targets if these are known.
struct Prediction {
  std::int64_t sample = 0;
  std::span<const float> values;         ///< the sample itself
  std::span<const float> probabilities;  ///< outputs of the network; see Predictor::probabilities
  Target target = {};                    ///< the truth; label -1 and no values if it is not known
  bool left_out = false;                 ///< whether the sample cannot be read; then ignore probabilities and values
};

/// An output for predictions: the terminal or a file.
class Predictions {
 public:
  Predictions() = default;
  Predictions(const Predictions&) = delete;
  Predictions& operator=(const Predictions&) = delete;
  virtual ~Predictions() = default;

  /// Adds the prediction for the next sample.
  virtual void add(const Prediction& prediction) = 0;
  /// Ends the output. @throws Error bad_file if the predictions cannot be written.
  virtual void finish() = 0;
};

/// Returns an output that prints a line per sample to standard output. @param data description of the network's data,
/// which must outlive the result @param pictures whether to print each image above its line
std::unique_ptr<Predictions> printed_predictions(const DataInfo& data, bool pictures);
/// Returns an output that writes a file. The extension decides the format: .csv is a table with headings and a line per
/// sample; .npy is an array of float32 with a row of probabilities per sample. The file appears atomically in `finish`.
/// @throws Error invalid_argument for another extension
std::unique_ptr<Predictions> written_predictions(const std::string& path, const DataInfo& data);

/// Returns the number of the class with the highest probability. If several are equally high, returns the first.
std::size_t best_class(std::span<const float> probabilities);

}  // namespace troupe::cli
