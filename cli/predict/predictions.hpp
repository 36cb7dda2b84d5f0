#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"

namespace troupe::cli {

/// The prediction for one sample, and the truth if it is known.
struct Prediction {
  std::int64_t sample = 0;
  std::span<const float> values;         ///< the sample itself
  std::span<const float> probabilities;  ///< see Predictor::probabilities
  Target target = {};                    ///< label -1 and no values: not known
  bool left_out = false;                 ///< the sample cannot be read: ignore probabilities and values
};

/// A destination of predictions.
class Predictions {
 public:
  Predictions() = default;
  Predictions(const Predictions&) = delete;
  Predictions& operator=(const Predictions&) = delete;
  virtual ~Predictions() = default;

  virtual void add(const Prediction& prediction) = 0;
  /// Ends the output. @throws Error bad_file if the predictions cannot be written.
  virtual void finish() = 0;
};

/// Prints a line per sample to standard output, below a picture if `pictures` is set. @param data must outlive the
/// result.
std::unique_ptr<Predictions> printed_predictions(const DataInfo& data, bool pictures);
/// Writes a file, by its extension: a .csv with headings and a line per sample, or a .npy of float32 with a row of
/// probabilities per sample. The file appears atomically in `finish`. @throws Error invalid_argument for another
/// extension.
std::unique_ptr<Predictions> written_predictions(const std::string& path, const DataInfo& data);

/// Returns the class with the highest probability; the first one of equal ones.
std::size_t best_class(std::span<const float> probabilities);

}  // namespace troupe::cli
