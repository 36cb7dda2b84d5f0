#pragma once

// Data: samples in memory, in files, or computed on demand. `load_data` loads built-in and registered data by name;
// derive from DataSource for data of your own.
//
//    troupe::TrainingData data = troupe::load_data("csv:houses.csv,target=price,test=new.csv");

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Number of missing fields in one column of a table.
struct MissingCount {
  std::string column;
  /// Number of missing fields in all rows of all files.
  std::int64_t fields = 0;
};

/// Describes a column of a table, and how its fields are converted to values of a sample.
struct InputColumn {
  enum class Role : std::uint8_t { feature, target, label, ignored };

  /// The column's name, or its number (from 1 on) if the table has no names.
  std::string name;
  Role role = Role::feature;
  bool is_text = false;  ///< if true, each different text of the column is a category; if false, fields are numbers
  /// For a feature column with text: the categories that occur in the column. Each category adds one value to a sample.
  /// The value is 1 if the sample is in this category, else 0. For a class column: the names of the classes.
  std::vector<std::string> categories = {};
  /// The number that replaces missing fields of a numeric feature. Empty (default): a missing field is an error.
  std::optional<float> fill = {};

  bool operator==(const InputColumn&) const = default;
};

/// The conversion of a table or a text to samples. Files of weights contain an InputEncoding, so that new data can be
/// converted in the same way as the training data.
struct InputEncoding {
  /// The columns of a table, in the order of its files. The values of a sample are in the order of the feature columns.
  /// Empty if the data is not a table.
  std::vector<InputColumn> columns = {};
  /// True if the first row of the table contains the names of the columns. If false, columns are named by their
  /// numbers, from 1 on.
  bool header = true;
  /// The symbols of a text, in ascending order: code points or bytes. A sample has one value for each symbol at each
  /// position of its window of text. Value i is 1 if symbol i is at the position, else 0. Empty if the data is not a
  /// text.
  std::vector<std::uint32_t> symbols = {};
  bool symbols_are_bytes = false;  ///< if false, symbols are code points

  /// Returns true if the data is neither a table nor a text.
  bool empty() const { return columns.empty() && symbols.empty(); }
  bool operator==(const InputEncoding&) const = default;
};

/// The largest vocabulary (DataInfo::vocabulary). Tokens are floats, which represent all integers up to this number.
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;

/// The description of a data set. Each sample has a class, or it has targets (numbers). Samples for prediction only
/// have neither.
struct DataInfo {
  std::int64_t num_samples = 0;
  /// Shape of one sample, such as {1, 28, 28}.
  std::vector<std::int64_t> shape = {};
  /// Number of classes. Labels are in [0, num_classes). 0 for data without classes.
  int num_classes = 0;
  /// Number of labels of each sample, if the data has classes. More than 1: one label for each position of a sequence.
  /// Such a label may also be kIgnoredLabel.
  std::int64_t labels_per_sample = 1;
  /// Number of different tokens, at most kMostTokens, if the values of a sample are tokens: integers in [0,
  /// vocabulary). 0 (default): the values are numbers.
  std::int64_t vocabulary = 0;
  /// True if sequences have different lengths, so that shorter ones end with padding.
  bool padded = false;
  /// Number of targets of each sample. 0 for data without targets.
  std::int64_t num_targets = 0;
  /// Names of the classes, one for each class. Empty if classes have only numbers.
  std::vector<std::string> class_names = {};
  /// Names of the values of a sample, one for each value, such as the name of its column. Empty if values have no
  /// names.
  std::vector<std::string> value_names = {};
  /// Names of the targets, one for each target. Empty if targets have no names.
  std::vector<std::string> target_names = {};
  /// The conversion of a table or a text to samples, before any transform. Empty for other data, or if the conversion
  /// is unknown.
  InputEncoding encoding = {};
  /// The columns of a table that have missing fields, with the number of missing fields.
  std::vector<MissingCount> missing = {};
  /// The factor by which bytes are multiplied, if samples are made of bytes: 1/255, for example. Predictions from image
  /// files need this factor. 0 for other samples.
  double byte_scale = 0;
  /// Name of the data in error messages, such as the names of its files. May be empty.
  std::string origin = {};
  /// The transforms that were applied to the samples, in the syntax of data::transform.
  std::string transforms = {};
  /// Shape of a sample before the transforms. Empty if no transforms were applied.
  std::vector<std::int64_t> source_shape = {};
  /// True if the values of a sample differ between epochs, for example because of random transforms.
  bool varies = false;
  /// True if samples that cannot be read are left out of batches; see BatchRequest::holes. False (default): such a
  /// sample causes an error.
  bool lacks = false;
  /// True if reading a sample takes long, for example because the sample must be decoded. Other threads then read
  /// batches ahead of the steps.
  bool slow = false;
  /// The number of the first sample of each part, in ascending order, if samples can only be read in larger parts. A
  /// part is a whole compressed archive, for example. Empty (default): each sample can be read on its own.
  std::vector<std::int64_t> parts = {};
  /// Number of parts (see `parts`) that the source can keep in memory. Reading alternately from up to this many parts
  /// is fast. 0 (default): any number.
  int held_parts = 0;

  /// Returns the number of floats of one sample.
  std::int64_t sample_size() const;
  /// Returns the number of labels of `samples` samples: 0 for data without classes.
  std::size_t num_labels(std::size_t samples) const;
};

/// The label of a position that is not part of the loss, as in PyTorch (DataInfo::labels_per_sample).
inline constexpr std::int32_t kIgnoredLabel = -100;

struct DatasetArrays;  // the memory of a Dataset's samples
class Random;          // a random number generator

/// The values from which, together with the number of a sample, the random numbers for the sample's transforms are
/// drawn.
struct DrawnFor {
  std::uint64_t seed = 0;  ///< seed of the run
  std::int64_t epoch = 0;
};

/// A request for samples, and the memory for the result. The requested samples are written one after the other, in the
/// order of `samples`.
struct BatchRequest {
  /// Numbers of the requested samples, in [0, num_samples). A number may occur several times.
  std::span<const std::int64_t> samples = {};
  /// Receives the values: sample_size() floats for each sample, row-major. No particular alignment.
  std::span<float> values = {};
  /// Receives the labels: labels_per_sample labels for each sample. Empty for data with targets.
  std::span<std::int32_t> labels = {};
  /// Receives the targets: num_targets floats for each sample. Empty for data with classes.
  std::span<float> targets = {};
  /// Set in training only. Random transforms are applied only if `drawn` is set.
  std::optional<DrawnFor> drawn = {};
  /// Receives one flag for each sample, or is empty. After `fill`, 1 marks a sample that could not be read and must be
  /// left out. If `holes` is empty, or DataInfo::lacks is false, a sample that cannot be read causes an error.
  std::span<std::uint8_t> holes = {};
};

/// Base class of data: samples by number, from memory, files or computations. Derive from DataSource for data of your
/// own.
class DataSource {
 public:
  virtual ~DataSource() = default;
  DataSource& operator=(const DataSource&) = delete;

  /// Returns the description of the data.
  const DataInfo& info() const { return info_; }

  /// Writes the requested samples to the spans of `request`. Thread-safe.
  /// @throws Error invalid_argument if a number is out of range, or a span has the wrong length.
  /// @throws Error bad_data if the implementation (`read`) does not write a label or target, or writes a label that is
  /// out of range or a target that is not finite. The message names the sample.
  /// @throws Error bad_file or another error of the implementation.
  void fill(const BatchRequest& request) const;

  /// Returns the labels of all samples, in order, if each has one label and they are known without reading the samples.
  /// Otherwise returns an empty span (default).
  virtual std::span<const std::int32_t> known_labels() const { return {}; }

  /// Announces that samples of some parts (DataInfo::parts) will be requested soon, so that the source can start to
  /// read these parts, and that the samples of other parts were used and need not stay in memory. Both lists contain
  /// the number of one sample of each part. Does not block or throw. Thread-safe. Default: does nothing.
  virtual void prefetch(std::span<const std::int64_t> /*coming*/,
                        std::span<const std::int64_t> /*used*/) const noexcept {}

 protected:
  /// Makes a source with this description.
  /// @throws Error bad_data if `info` has no samples, a shape without floats, both classes and targets, or a wrong
  /// number of names.
  explicit DataSource(DataInfo info);
  DataSource(const DataSource&) = default;
  DataSource(DataSource&&) = default;

 private:
  /// Writes the samples of a request that `fill` has checked. Must be thread-safe. The values of a sample may depend
  /// only on its number and, if DataInfo::varies is true, on `request.drawn`. Values that are not written are zero;
  /// labels and targets must be written. An exception ends the step: an Error propagates unchanged, and any other
  /// exception becomes an Error model_failed.
  virtual void read(const BatchRequest& request) const = 0;

  DataInfo info_;
};

/// Samples in memory. All replicas of a process share one copy of the samples. If the data was loaded by name
/// (load_data), all processes of a machine share one copy.
class Dataset final : public DataSource {
 public:
  /// Returns a data set of samples with classes.
  /// @param shape of one sample, such as {1, 28, 28}.
  /// @param values the samples one after the other, row-major.
  /// @param labels one for each sample, in [0, num_classes).
  /// @param num_classes number of classes.
  /// @param origin name of the data in error messages (DataInfo::origin).
  /// @param class_names one for each class, or empty.
  /// @throws Error bad_data if lengths do not match or a label is out of range.
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes, std::string origin = {}, std::vector<std::string> class_names = {});
  /// Returns a data set of samples with classes, from samples in bytes. Each value of a sample is a byte times `scale`.
  /// The other parameters are those of the overload above.
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes, std::string origin = {},
                         std::vector<std::string> class_names = {});
  /// Returns a data set of sequences of tokens, for networks that begin with models::embedding. Sequences may have
  /// different lengths: shorter ones are padded at their ends with token 0, whose label is kIgnoredLabel.
  /// @param tokens of each sequence, in [0, vocabulary).
  /// @param labels one for each token, in [0, num_classes) or kIgnoredLabel. Empty: the label of a token is the next
  /// token of its sequence, and the last token has none.
  /// @param vocabulary number of different tokens.
  /// @param num_classes number of classes. 0 (default): `vocabulary`.
  /// @param origin name of the data in error messages (DataInfo::origin).
  /// @throws Error bad_data if there are no sequences, no sequence has two tokens, lengths do not match, a token or
  /// label is out of range, or no token of a sequence has a label.
  static Dataset sequences(const std::vector<std::vector<std::int32_t>>& tokens,
                           const std::vector<std::vector<std::int32_t>>& labels, std::int64_t vocabulary,
                           int num_classes = 0, std::string origin = {});
  /// Returns a data set for a regression. Each sample has `num_targets` targets. `targets` contains the targets of the
  /// first sample, then those of the second sample, and so on.
  /// @throws Error bad_data if lengths do not match or a target is not finite.
  static Dataset targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets,
                         std::int64_t num_targets = 1, std::string origin = {});

  /// Returns a data set of samples for prediction, without classes or targets.
  /// @throws Error bad_data if lengths do not match.
  static Dataset unlabelled(std::vector<std::int64_t> shape, std::vector<float> values, std::string origin = {});

  std::span<const std::int32_t> known_labels() const override;

 private:
  friend struct DatasetArrays;

  Dataset(DataInfo info, std::shared_ptr<const DatasetArrays> arrays);
  void read(const BatchRequest& request) const override;

  std::shared_ptr<const DatasetArrays> arrays_;
};

/// A training set, and optionally a test set and a validation set with samples of the same kind.
struct TrainingData {
  std::shared_ptr<const DataSource> train;
  std::shared_ptr<const DataSource> test = nullptr;
  std::shared_ptr<const DataSource> validation = nullptr;
};

/// A function that makes registered data (see register_data). `arguments` is the text after the colon in the name that
/// was passed to load_data, or empty if there is no colon. `seed` is the seed of the run.
using MakeData = std::function<TrainingData(const std::string& arguments, std::uint64_t seed)>;

/// Describes how registered data is used by its name.
struct DataUsage {
  /// The syntax after the name, for error messages, such as "[:DIR]" or ":FILE". Empty (default): the name takes no
  /// arguments.
  std::string arguments = {};
  /// True if the data depends on the seed. If false (default), the data is made once, with seed 0, and used for all
  /// seeds.
  bool drawn = false;
};

/// Registers data under a name, for `load_data` and for the key "data" in the config of built-in models. Call
/// register_data before `init`, so that worker processes register the data, too.
/// @param name the name; it must not contain a colon.
/// @param make makes the data. It may load other data.
/// @param usage the syntax of the arguments, and whether the data depends on the seed.
/// @throws Error invalid_argument if the name is taken, empty or contains a colon.
void register_data(const std::string& name, MakeData make, const DataUsage& usage = {});

/// Loads data by a registered name and returns its training set and, if there are any, its test and validation sets.
/// The built-in names are `cifar10:DIR`, `csv:...`, `fashion-mnist[:DIR]`, `fold:...`, `idx:...`, `images:...`,
/// `mock-images[:SIZE[,CLASSES[,IMAGES]]]`, `npy:...`, `npz:...`, `synthetic-linear`, `tar:...`, `text:...` and
/// `tokens:...`.
/// docs/data.md describes them in more detail. Within a process, calls with the same name and seed return the same
/// object while the object is in use. Thread-safe.
///
/// `csv:FILE[,FILE...][,OPTION...]` reads CSV files (RFC 4180). FILE is a name or a pattern such as part-*.csv. In the
/// options below, COLUMN is a name from the first row. If the first row contains a number, the table has no names, and
/// COLUMN is a number from 1 on. Options:
/// - `target=COLUMN[+COLUMN...]` selects the columns with targets, and `class=COLUMN` the column with classes. If
///   neither is given, the last column contains the classes if it contains text, else the targets.
/// - `ignore=COLUMN[+COLUMN...]` leaves out columns. All columns that are neither left out nor target nor class are
///   features. A feature column of numbers adds one value to a sample. A feature column of text adds one value for each
///   category: 1 for the category of the sample, and 0 for all others.
/// - `text=COLUMN[+COLUMN...]` treats columns of numbers as text. Any other column is text if one of its first 1,000
///   fields is text.
/// - `missing=skip` leaves out rows with missing fields. `missing=mean` replaces a missing number by the mean of its
///   column, and a missing text by the category "(missing)". `missing=NUMBER` replaces a missing number by NUMBER. A
///   field is missing if it is empty or NA, N/A, NaN, null, none or ?. Without this option a missing field is an error.
/// - `test=FILE` reads the test set from FILE.
/// - `header=yes|no` sets whether the first row contains names, and `separator=LETTER|tab|comma` separates fields. Both
///   are detected if they are not given.
///
/// `images:DIR[,test=DIR][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,damaged=skip]` reads PNG and JPEG files. Each folder
/// in DIR is a class with the folder's name. Classes, and the files of each class, are numbered in the order of their
/// names. The shape of a sample is {channels, height, width}, and its values are bytes divided by 255. From each image,
/// the largest centered part with the aspect ratio of `size` is cut out and scaled to `size`. By default `size` is the
/// size of the first image, and samples have 3 channels. Images are decoded on demand. With `damaged=skip`, images that
/// cannot be decoded are left out.
///
/// `npy:IMAGES.npy,LABELS.npy[,TEST_IMAGES.npy,TEST_LABELS.npy][,layout=nchw|nhwc]` reads NumPy files with integers,
/// floats (f2, f4, f8) or bool, little or big endian. The array of samples has the shape (samples, features), (samples,
/// height, width) or (samples, channels, height, width). An array with four dimensions is read as (samples, height,
/// width, channels) if its last dimension is at most 4 and its second dimension is more than 4. `layout` overrides this
/// rule. Unsigned bytes are divided by 255; other types are not scaled. Labels of integers or bool, with the shape
/// (samples) or (samples, 1), are classes from 0 to the largest label of both sets. Labels of floats, with the shape
/// (samples) or (samples, targets), are targets. Each name may be a pattern that matches several files, which together
/// make one set. The number of files of samples must then equal the number of files of labels. A set that needs more
/// than half of MemoryOptions::data_bytes stays in its files and is read on demand. `idx:` takes the same arguments and
/// reads IDX files, such as those of MNIST, gzipped or not.
///
/// `npz:FILE.npz[,x=NAME,y=NAME[,test_x=NAME,test_y=NAME]][,layout=nchw|nhwc]` reads the arrays of samples and labels
/// from one file of numpy.savez; for their shapes and types see `npy:`. x and y name the arrays of the training set,
/// and test_x and test_y those of the test set. The default names are x_train, y_train, x_test, y_test, or x, y,
/// images, labels, data, target, arr_0, arr_1 and so on.
///
/// `fold:I/K:NAME`, such as fold:2/5:fashion-mnist, is fold I (from 1 on) of a K-fold cross-validation of the data
/// NAME. The training set of NAME is divided into K folds, each with about 1/K of the samples of each class. Fold I is
/// the validation set, and the other folds together are the training set. The test set is the test set of NAME. Folds
/// do not depend on the seed, unless the data NAME does. Each sample is in exactly one fold.
///
/// `text:FILE[,FILE...][,test=FILE][,symbols=characters|bytes][,window=64][,stride=1][,predict=last|each]` reads texts.
/// A sample is a window: `window` consecutive symbols of a text. Its shape is {window, number of different symbols}. At
/// each position of the window, the value for the symbol at this position is 1, and all other values are 0. Each window
/// starts `stride` symbols after the previous one. The class of a sample is the symbol that follows its window. With
/// `predict=each`, a sample has the shape {window} and consists of tokens instead: the numbers of its symbols. It has a
/// label at each position: the next symbol. Windows are then disjoint unless `stride` says otherwise. Texts stay in
/// their files and are read on demand.
///
/// `tar:PATTERN[,PATTERN...][,test=PATTERN][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,memory=MEGABYTES][,damaged=skip]`
/// reads samples from tar archives, in order of the archives' names. Archives may be compressed by gzip or zstd. A
/// range such as {000..009} in a PATTERN stands for all its numbers. As in WebDataset, a sample consists of consecutive
/// members of the archive that have the same name up to the first dot:
/// - The values of a sample are read from one member. `.jpg`, `.jpeg` or `.png` is an image, converted as by `images:`.
///   `.npy` or `.x.npy` is an array; unsigned bytes are divided by 255.
/// - The targets or the class are read from the first of these members that exists: `.y.npy` or `.target.npy` contains
///   targets, `.cls` the number of the class, `.json` {"label": number or name}, `.txt` the name of the class. If none
///   of them exists, the class is the folder in the member's name.
///
/// A PATTERN may be a URL that begins with http://, https:// or s3://, as for `npy:` and `csv:`. Such an archive is
/// read in parts of up to 16 MB. An index of each archive is stored next to the archive as `NAME.index`, or for a URL
/// in the folder troupe of $XDG_CACHE_HOME. A compressed archive must be decompressed as a whole: it is one part
/// (DataInfo::parts) of at most 256 MB. Each process keeps decompressed parts in memory, up to MEGABYTES of the option
/// `memory` (default: 512). If the environment variable TROUPE_ALLOW_PIPE is 1, a PATTERN may be `pipe:COMMAND`: a
/// shell command that writes an archive.
///
/// `tokens:FILE[,FILE...][,test=FILE][,window=1024][,windows=epoch|random][,vocabulary=N][,format=raw|llmc|npy]` reads
/// files of tokens of any size, on demand: unsigned 16-bit integers without a header (raw, as nanoGPT writes them),
/// files of llm.c, or NumPy arrays of one dimension of u2 or u4. The format is detected if it is not given. A sample is
/// `window` consecutive tokens and has a label at each position: the next token. By default the windows of a file are
/// disjoint, and an epoch uses each once. With `windows=random`, each window begins at a random place between its own
/// beginning and that of the next window in training, which depends on the seed, the epoch and the number of the
/// sample. The default vocabulary is that of GPT-2 (50,257) for 16-bit tokens, and that of Llama 3 (128,256) for
/// others.
/// @throws Error invalid_argument if no data has this name (the message lists the names), or its arguments are invalid.
/// @throws Error bad_file or bad_data if a file is missing, damaged or does not fit; the error names the file.
/// @throws Error limit_reached if there is not enough memory.
TrainingData load_data(const std::string& name, std::uint64_t seed = 1);

/// Loads data for a network that was trained before. A table or a text is converted to samples according to
/// `trained.encoding`. For example, `trained` is the result of `Predictor::data()`. Columns are matched by name in any
/// order, or by number if the table has no header. Unknown columns are ignored, and the log names them. Targets or
/// classes may be missing from the files. The option `unseen=zero` of `csv:` or `text:` uses zeros for a category or
/// symbol that the training set did not have. By default (`unseen=error`), such a category or symbol is an error. For
/// other data, or if `trained.encoding` is empty, the result is that of the overload without `trained`.
/// @throws Error as the overload without `trained`.
/// @throws Error bad_data for a missing column, a category that the training set did not have, or a text instead of a
/// number. The error names file, row and column.
TrainingData load_data(const std::string& name, const DataInfo& trained, std::uint64_t seed = 1);

/// Chooses the samples of each batch of a shard. Shard s has the samples s, s + num_shards, s + 2 x num_shards, and so
/// on. Each epoch uses every sample of the shard once, in an order drawn from (seed, shard, epoch). The order needs 8
/// bytes of memory and about 20 ns for each sample of the shard.
///
/// If the data has parts (DataInfo::parts), shard s has the parts s, s + num_shards, s + 2 x num_shards, and so on. If
/// there are fewer parts than shards, each shard has every num_shards-th sample of each part instead. Each epoch uses
/// the parts in an order drawn from (seed, shard, epoch), and shuffles the samples of a few consecutive parts together.
/// A group of such parts ends when it has `window` samples or DataInfo::held_parts parts, whichever is first. Not
/// thread-safe.
class BatchSampler {
 public:
  /// Makes a sampler for samples without parts.
  /// @param num_samples number of samples of all shards together.
  /// @param batch_size number of samples for each shard and step. 0: each batch is the whole shard, in order.
  /// @throws Error invalid_argument if a number is negative.
  BatchSampler(std::int64_t num_samples, std::int64_t batch_size);
  /// Makes a sampler for data that may have parts.
  /// @param info the description of the data.
  /// @param batch_size number of samples for each shard and step. 0: each batch is the whole shard, in order.
  /// @param window number of samples from which on a group of consecutive parts is shuffled together; at least 1.
  /// @throws Error invalid_argument if a number is out of range.
  BatchSampler(const DataInfo& info, std::int64_t batch_size, std::int64_t window = 4096);

  /// Returns the number of steps until the largest shard has used each sample once. The number is the same for all
  /// shards; a smaller shard may have no samples in the last steps.
  /// @throws Error invalid_argument if `num_shards` is below 1.
  std::int64_t steps_per_epoch(int num_shards) const;
  /// Returns the numbers of the samples in the batch of shard `shard` at step `step`. The span is valid until the next
  /// call.
  /// @throws Error invalid_argument if an argument is out of range.
  /// @throws Error limit_reached if there is not enough memory for the order of the shard's samples.
  std::span<const std::int64_t> batch(int shard, int num_shards, std::int64_t step, std::uint64_t seed);

 private:
  struct Order {
    int shard = -1;
    int num_shards = 0;
    std::int64_t epoch = -1;
    std::uint64_t seed = 0;
    std::vector<std::int64_t> samples;
  };
  const std::vector<std::int64_t>& order(int shard, int num_shards, std::int64_t epoch, std::uint64_t seed);
  void draw(Order& order, Random random) const;

  std::int64_t num_samples_;
  std::int64_t batch_size_;
  std::vector<std::int64_t> parts_;
  std::int64_t window_ = 0;
  std::int64_t held_parts_ = 0;
  std::vector<Order> orders_;
  mutable int counted_shards_ = 0;  ///< the number of shards for which `largest_` was computed
  mutable std::int64_t largest_ = 0;
};

}  // namespace troupe
