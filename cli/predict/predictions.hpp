#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"

namespace troupe::cli {

/// The prediction for one sample, and the sample's true label or targets if these are known.
struct Prediction {
  std::int64_t sample = 0;
  std::span<const float> values;         ///< the sample itself
  std::span<const float> probabilities;  ///< outputs of the network, converted as by Predictor::probabilities
  Target target = {};                    ///< the true label or targets; label -1 and no values if they are not known
  bool left_out = false;  ///< true: the sample cannot be read, and `probabilities` and `values` have no meaning
};

/// A destination of predictions: the terminal or a file.
class Predictions {
 public:
  Predictions() = default;
  Predictions(const Predictions&) = delete;
  Predictions& operator=(const Predictions&) = delete;
  virtual ~Predictions() = default;

  /// Adds the prediction for the next sample.
  virtual void add(const Prediction& prediction) = 0;
  /// Completes the output after the last prediction. @throws Error bad_file if the predictions cannot be written
  virtual void finish() = 0;
};

/// Returns an object that prints a line per prediction to standard output.
/// @param data description of the network's data; must outlive the returned object
/// @param pictures whether to print each image above its line
std::unique_ptr<Predictions> printed_predictions(const DataInfo& data, bool pictures);
/// Returns an object that writes predictions to the file `path`. The extension of `path` selects the format. A .csv
/// file is a table with headings and a line per sample. A .npy file is an array of float32 with a row of probabilities
/// per sample. The file appears atomically when `finish` is called.
/// @param data description of the network's data; must outlive the returned object
/// @throws Error invalid_argument for another extension
std::unique_ptr<Predictions> written_predictions(const std::string& path, const DataInfo& data);

/// Returns the number of the class with the highest probability. If several classes have it, returns the lowest number.
std::size_t best_class(std::span<const float> probabilities);

}  // namespace troupe::cli
