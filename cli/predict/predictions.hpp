#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"

namespace troupe::cli {

/// What is said of one sample, and, where that is known, what is true.
struct Prediction {
  std::int64_t sample = 0;
  std::span<const float> values;         ///< the sample itself
  std::span<const float> probabilities;  ///< see Predictor::probabilities
  Target target = {};                    ///< label -1 and no values: not known
  bool left_out = false;                 ///< it cannot be read: probabilities and values say nothing
};

/// Where predictions go.
class Predictions {
 public:
  Predictions() = default;
  Predictions(const Predictions&) = delete;
  Predictions& operator=(const Predictions&) = delete;
  virtual ~Predictions() = default;

  virtual void add(const Prediction& prediction) = 0;
  /// There are no more. @throws Error bad_file where they cannot be written.
  virtual void finish() = 0;
};

/// A line each on standard output, under a picture where asked for. @param data outlives what is made.
std::unique_ptr<Predictions> printed_predictions(const DataInfo& data, bool pictures);
/// A file, by its ending: a .csv with a line each under its headings, or a .npy of float32 with a row of probabilities
/// each. It appears whole, by `finish`. @throws Error invalid_argument for another ending.
std::unique_ptr<Predictions> written_predictions(const std::string& path, const DataInfo& data);

/// The class of the highest probability, the first of several.
std::size_t best_class(std::span<const float> probabilities);

}  // namespace troupe::cli
