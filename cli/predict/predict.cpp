#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/predict/predictions.hpp"
#include "cli/run_options.hpp"
#include "models/data/data_registry.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/images/image.hpp"
#include "models/files/network_text.hpp"
#include "models/files/npy.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/losses/loss_registry.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "troupe/data.hpp"
#include "troupe/predictor.hpp"
#include "troupe/transform.hpp"

namespace troupe::cli {
namespace {

/// The samples for which predictions are made, with their labels and targets if these are known.
class Samples {
 public:
  /// Loads the test set of `data`, or the training set if `data` has no test set.
  /// @param data the name of the data, as for --data
  /// @param trained description of the network's training data; it determines how samples are read
  Samples(const std::string& data, const DataInfo& trained, std::uint64_t seed);
  /// Loads the samples of a file. The file is an image, or a .npy file. The array in a .npy file has the shape of one
  /// sample, or one more dimension for several samples.
  /// @param shape shape of a sample
  /// @param byte_scale factor by which values that are bytes are multiplied
  /// @throws Error bad_file
  Samples(const std::string& file, const std::vector<std::int64_t>& shape, float byte_scale);

  std::int64_t count() const { return info().num_samples; }
  /// Returns the description of the samples. For the samples of a file, the description contains only their number and
  /// shape.
  const DataInfo& info() const { return source_->info(); }

  /// Some consecutive samples.
  struct Part {
    std::span<const float> values;
    std::span<const std::int32_t> labels;  ///< empty if not known
    std::span<const float> targets;        ///< empty if not known
    std::span<const std::uint8_t> holes;   ///< 1 for a sample that cannot be read; empty: all samples can be read
  };
  /// Reads `count` samples, starting at sample number `first`. The result is valid until the next call.
  Part part(std::int64_t first, std::int64_t count);

  /// Makes `part` apply `transforms`, the transforms that were applied to samples in the network's training. @throws
  /// Error as data::transform
  void transform(const std::string& transforms);

 private:
  std::shared_ptr<const DataSource> source_;
  std::vector<std::int64_t> numbers_;
  std::vector<float> values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;
};

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text.empty() ? "one number" : text;
}

/// Returns the values of the samples in a .npy file, one sample after the other.
/// @param shape shape of a sample
/// @param byte_scale factor by which values that are bytes are multiplied
std::vector<float> read_samples(const std::string& path, const std::vector<std::int64_t>& shape, float byte_scale) {
  const NumberArray array = read_npy(path);
  const bool several = array.shape.size() == shape.size() + 1;
  const bool fits = several || array.shape.size() == shape.size();
  if (!fits || !std::equal(shape.begin(), shape.end(), array.shape.begin() + (several ? 1 : 0)))
    throw_bad_file(path, "its array is of " + text_of(array.shape) + ", but the network takes a sample of " +
                             text_of(shape) + ", or several of them");
  std::vector<float> values = array.floats();
  if (array.is_byte())  // only bytes are scaled, as in training
    for (float& value : values) value *= byte_scale;
  const auto wrong = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (wrong != values.end())
    throw_bad_file(path, "its value " + std::to_string(wrong - values.begin()) + " is not finite");
  return values;
}

Samples::Samples(const std::string& data, const DataInfo& trained, std::uint64_t seed)
    : source_(load_test_set(data, seed, trained)) {}

Samples::Samples(const std::string& file, const std::vector<std::int64_t>& shape, float byte_scale) {
  std::vector<float> values = file.ends_with(".npy") ? read_samples(file, shape, byte_scale)
                                                     : sample_of(read_image(file, use_of(shape)), shape, byte_scale);
  source_ = std::make_shared<const Dataset>(Dataset::unlabelled(shape, std::move(values), file));
}

void Samples::transform(const std::string& transforms) {
  source_ = data::transform({.train = source_}, transforms).train;
}

Samples::Part Samples::part(std::int64_t first, std::int64_t count) {
  numbers_.resize(static_cast<std::size_t>(count));
  std::iota(numbers_.begin(), numbers_.end(), first);
  values_.resize(static_cast<std::size_t>(count * info().sample_size()));
  labels_.resize(info().num_labels(static_cast<std::size_t>(count)));
  targets_.resize(static_cast<std::size_t>(count * info().num_targets));
  holes_.resize(static_cast<std::size_t>(info().lacks ? count : 0));
  source_->fill({.samples = numbers_, .values = values_, .labels = labels_, .targets = targets_, .holes = holes_});
  return {.values = values_, .labels = labels_, .targets = targets_, .holes = holes_};
}

struct PredictOptions {
  std::string load;
  std::string model;
  std::string loss;
  std::string data;
  std::string image;
  std::string shape;
  double byte_scale = 0;
  std::int64_t count = 0;
  std::uint64_t seed = 1;
  std::string out;
  bool pictures = false;
  PredictorOptions computes = {};
};

/// Parses a shape such as "3x224x224"; an empty text gives an empty shape.
std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  std::string rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    std::int64_t length = 0;
    if (!CLI::detail::lexical_cast(rest.substr(0, end), length) || length < 1)
      throw_invalid("--shape '" + text + "' is not of the form 3x224x224");
    shape.push_back(length);
    rest = rest.substr(std::min(end + 1, rest.size()));
  }
  return shape;
}

/// Returns the description of the network's training data, which the file of weights contains. Returns none if the file
/// does not describe its network.
std::optional<DataInfo> trained_on(const PredictOptions& options) {
  const std::string text = SafetensorsFile(weights_file_of(options.load)).network();
  if (text.empty()) return {};
  const NetworkText network = network_from_json(options.load, text);
  const bool from_table = options.data.starts_with("csv:") || options.data.starts_with("text:");
  if (!network.knows_inputs && from_table) warn_of_unknown_inputs(options.load);
  return network.data;
}

Predictor open(const PredictOptions& options, std::vector<std::int64_t> shape) {
  if (options.model.empty() && options.loss.empty() && options.shape.empty())
    return Predictor(options.load, options.computes);
  return {options.load, options.model, std::move(shape), options.loss.empty() ? nullptr : find_loss(options.loss),
          options.computes};
}

/// Returns the shape that samples have before the transforms of the network's training are applied.
std::vector<std::int64_t> source_shape(const Predictor& predictor) {
  const DataInfo& data = predictor.data();
  return data.source_shape.empty() ? data.shape : data.source_shape;
}

/// Returns `shape` without a first dimension of length 1, if the shape is that of grey images. This dimension is
/// optional for grey images.
std::vector<std::int64_t> without_single_channel(std::vector<std::int64_t> shape) {
  if (shape.size() == 3 && shape[0] == 1) shape.erase(shape.begin());
  return shape;
}

void check_shape(const PredictOptions& options, const Samples& samples, const Predictor& predictor) {
  if (without_single_channel(samples.info().shape) == without_single_channel(source_shape(predictor))) return;
  throw Error(ErrorCode::bad_data, "its samples have another shape than the network of '" + options.load + "' takes",
              {.object = options.data});
}

float byte_scale(const PredictOptions& options, const DataInfo& data) {
  constexpr double kUsual = 1.0 / 255;
  if (options.byte_scale > 0) return static_cast<float>(options.byte_scale);
  return static_cast<float>(data.byte_scale > 0 ? data.byte_scale : kUsual);
}

/// Converts the labels of samples to the class numbers that the network uses.
class Answers {
 public:
  /// @param data description of the samples
  /// @param network description of the training data in the file of weights
  Answers(const DataInfo& data, const DataInfo& network) : targets_known_(data.num_targets == network.num_targets) {
    // A class of the samples is the class of the network with the same name. If both lists of names are equal, classes
    // are matched by number instead: the network's names were made printable before they were stored, so two classes
    // may have the same name.
    std::vector<std::string> shown;
    shown.reserve(data.class_names.size());
    for (const std::string& name : data.class_names) shown.push_back(printable(name));
    const bool named = !shown.empty() && !network.class_names.empty() && shown != network.class_names;
    for (std::int32_t label = 0; label < data.num_classes; ++label)
      numbers_.push_back(named                                     ? number_of(shown, label, network)
                         : data.num_classes == network.num_classes ? label
                                                                   : -1);
  }

  /// Returns how many classes of the samples are not classes of the network.
  std::int64_t strangers() const { return std::ranges::count(numbers_, -1); }
  /// Returns the true label (as the network's class number) and targets of a sample. Leaves out a label or targets that
  /// the network cannot predict.
  Target of(std::int32_t label, std::span<const float> targets) const {
    Target target;
    if (label >= 0) target.label = numbers_[static_cast<std::size_t>(label)];
    if (targets_known_) target.values = targets;
    return target;
  }

 private:
  static std::int32_t number_of(const std::vector<std::string>& names, std::int32_t label, const DataInfo& network) {
    const auto found = std::ranges::find(network.class_names, names[static_cast<std::size_t>(label)]);
    return found == network.class_names.end() ? -1 : static_cast<std::int32_t>(found - network.class_names.begin());
  }

  /// For each class of the samples: the network's class number; -1: the network does not have the class.
  std::vector<std::int32_t> numbers_;
  bool targets_known_;
};

/// Computes predictions for 64 samples at a time, passes the predictions to `predictions`, and counts the correct ones.
class Prophet {
 public:
  Prophet(const Predictor& predictor, const Answers& answers, Predictions& predictions)
      : predictor_(predictor), answers_(answers), predictions_(predictions) {}

  void predict(Samples& samples, std::int64_t count) {
    constexpr std::int64_t kPart = 64;
    for (std::int64_t first = 0; first < count; first += kPart) {
      const std::int64_t size = std::min(kPart, count - first);
      predict(samples.part(first, size), first, static_cast<std::size_t>(size));
      std::fflush(stdout);
    }
    predictions_.finish();
  }

  std::int64_t hits() const { return hits_; }
  std::int64_t known() const { return known_; }
  std::int64_t left_out() const { return left_out_; }

 private:
  void predict(const Samples::Part& part, std::int64_t first, std::size_t size) {
    std::vector<float> outputs = predictor_.outputs(part.values);
    const auto row = [size](auto all, std::size_t i) { return all.subspan(i * all.size() / size, all.size() / size); };
    for (std::size_t i = 0; i < size; ++i) {
      const bool left_out = !part.holes.empty() && part.holes[i] != 0;
      left_out_ += left_out ? 1 : 0;
      const std::int32_t label = part.labels.empty() ? -1 : part.labels[i];
      const Target target = left_out ? Target() : answers_.of(label, row(part.targets, i));
      const std::span<float> said = row(std::span(outputs), i);
      const bool is_known = target.label >= 0 || !target.values.empty();
      known_ += is_known ? 1 : 0;
      hits_ += is_known && predictor_.loss().is_hit(said, target) ? 1 : 0;
      predictor_.loss().to_probabilities(said);
      predictions_.add({.sample = first + static_cast<std::int64_t>(i),
                        .values = row(part.values, i),
                        .probabilities = said,
                        .target = target,
                        .left_out = left_out});
    }
  }

  const Predictor& predictor_;
  const Answers& answers_;
  Predictions& predictions_;
  std::int64_t hits_ = 0;
  std::int64_t known_ = 0;
  std::int64_t left_out_ = 0;
};

void predict(const PredictOptions& options) {
  if (options.data.empty() == options.image.empty()) throw_invalid("predict needs either --data or --image");
  const std::optional<DataInfo> trained = trained_on(options);
  std::optional<Samples> samples;
  if (!options.data.empty()) samples.emplace(options.data, trained.value_or(DataInfo{}), options.seed);
  std::vector<std::int64_t> shape = parse_shape(options.shape);
  if (samples && !trained) shape = samples->info().shape;
  const Predictor predictor = open(options, std::move(shape));
  if (samples)
    check_shape(options, *samples, predictor);
  else
    samples.emplace(options.image, source_shape(predictor), byte_scale(options, predictor.data()));
  DataInfo data = predictor.data();
  samples->transform(data.transforms);
  if (data.labels_per_sample > 1)
    throw Error(ErrorCode::unsupported,
                "the network predicts a class at each of " + std::to_string(data.labels_per_sample) +
                    " positions; use `troupe generate` to continue a text, or `troupe evaluate` to measure it",
                {.object = options.load});
  if (data.class_names.empty() && data.num_classes == samples->info().num_classes)
    data.class_names = samples->info().class_names;
  const auto predictions =
      options.out.empty() ? printed_predictions(data, options.pictures) : written_predictions(options.out, data);
  const Answers answers(samples->info(), data);
  if (answers.strangers() > 0)
    log_line(LogLevel::warning, std::to_string(answers.strangers()) +
                                    " classes of the data are unknown to the network; their labels are left out");
  Prophet prophet(predictor, answers, *predictions);
  prophet.predict(*samples, options.count > 0 ? std::min(options.count, samples->count()) : samples->count());
  if (prophet.known() > 0 && (data.num_classes > 0 || prophet.hits() > 0))
    std::printf("accuracy %.4f of %lld samples\n",
                static_cast<double>(prophet.hits()) / static_cast<double>(prophet.known()),
                static_cast<long long>(prophet.known()));
  if (prophet.left_out() > 0)
    std::printf("left out %lld samples that cannot be read\n", static_cast<long long>(prophet.left_out()));
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App& predict_command = *app.add_subcommand("predict", "Predict samples with a saved network");
  const auto add = [&](const char* name, auto& value, const char* what) {
    return predict_command.add_option(name, value, what);
  };
  add("--load", options->load,
      "Safetensors file of the network's weights, a checkpoint, or a folder of checkpoints (the newest is used)")
      ->required();
  add("--model", options->model, "The network, if the file does not describe it: mlp, cnn, resnet18, ...");
  add("--loss", options->loss, "Its training loss, if the file does not describe it");
  add("--data", options->data, "Data whose test set is predicted (training set if it has none), as for train");
  auto* image = add("--image", options->image, "A PNG or JPEG file, or a .npy of one or several samples");
  add("--shape", options->shape, "With --image, if the file of weights does not contain it: CHANNELSxHEIGHTxWIDTH")
      ->needs(image);
  add("--byte-scale", options->byte_scale, "With --image: value of the byte 1; 0: as in the training data, else 1/255");
  add("--count", options->count, "Number of samples, from the first on; 0: all")->check(whole_number(0));
  add("--seed", options->seed, "Seed of random data")->check(whole_number(0));
  auto* out =
      add("--out", options->out, "Write to this .csv, or probabilities to this .npy, instead of printing lines");
  add_predictor_options(predict_command, options->computes);
  predict_command.add_flag("--pictures", options->pictures, "Print each image above its line")->excludes(out);
  predict_command.callback([options] { predict(*options); });
}

}  // namespace troupe::cli
