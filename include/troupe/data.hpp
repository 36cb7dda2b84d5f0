#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A column of the files that samples come from, some of whose fields hold nothing.
struct MissingCount {
  std::string column;
  std::int64_t fields = 0;  ///< that hold nothing, in all rows of the files
};

/// A column of a table, and how its fields become values of a sample.
struct InputColumn {
  enum class Role : std::uint8_t { feature, target, label, ignored };

  std::string name;  ///< its number from 1 on where the table has no names
  Role role = Role::feature;
  bool is_text = false;
  /// A feature of text makes one value of a sample for each: 1 for the sample's own, else 0. A class column has its
  /// classes here.
  std::vector<std::string> categories = {};
  /// The value of a missing field in a feature of numbers; none: a missing field is an error.
  std::optional<float> fill = {};

  bool operator==(const InputColumn&) const = default;
};

/// How samples are made of a table or a text. Weights that are saved contain it, so that new data is read the same way.
struct InputEncoding {
  /// Of a table, in the order of its files; empty for other data. Values of a sample come in the order of the features.
  std::vector<InputColumn> columns = {};
  bool header = true;  ///< columns have names; else they are called by their numbers from 1 on
  /// Of a text, in ascending order: code points, or bytes. Value i of a place in a window is 1 for symbol i, else 0.
  std::vector<std::uint32_t> symbols = {};
  bool symbols_are_bytes = false;

  bool empty() const { return columns.empty() && symbols.empty(); }
  bool operator==(const InputEncoding&) const = default;
};

/// What the samples of some data are like. Each has either a class or targets, which are numbers, or neither where it
/// is there to be predicted alone.
struct DataInfo {
  std::int64_t num_samples = 0;
  std::vector<std::int64_t> shape = {};       ///< of one sample, such as {1, 28, 28}
  int num_classes = 0;                        ///< labels are in [0, num_classes); 0 for data without classes
  std::int64_t num_targets = 0;               ///< of each sample; 0 for data without targets
  std::vector<std::string> class_names = {};  ///< one a class, for people; empty where classes have only numbers
  std::vector<std::string> value_names = {};  ///< one a value of a sample, such as its column; empty where none has one
  std::vector<std::string> target_names = {};  ///< one a target; empty where none has one
  InputEncoding encoding = {};  ///< how samples were made before any transform; empty where that is not known
  std::vector<MissingCount> missing = {};  ///< of the files, for people; only columns that lack fields
  double byte_scale = 0;    ///< where samples are made of bytes: what the byte 1 becomes; else 0. Predicting from image
                            ///< files asks for it
  std::string origin = {};  ///< what errors call it, such as its files; may be empty
  std::string transforms = {};                  ///< what has been done to samples, as `data::transform` takes it
  std::vector<std::int64_t> source_shape = {};  ///< of a sample before that; empty where nothing was done
  bool varies = false;                          ///< samples are not the same in each epoch
  bool lacks = false;                           ///< samples that cannot be read are left out: see BatchRequest::holes
  bool slow = false;  ///< samples take time, such as decoding: batches are read ahead, in threads
  /// Where samples can only be had by reading many, such as all of a compressed archive: the first sample of each such
  /// part, in order. Empty: any sample is as cheap as any other.
  std::vector<std::int64_t> parts = {};
  int held_parts = 0;  ///< of these, so many may be used in turn at little cost; 0: any number

  /// Floats of one sample.
  std::int64_t sample_size() const;
};

struct DatasetArrays;  // where a Dataset's samples lie
class Random;          // what orders are drawn from

/// What random transforms of a sample are drawn from, besides its number.
struct DrawnFor {
  std::uint64_t seed = 0;  ///< of the run
  std::int64_t epoch = 0;
};

/// Which samples somebody wants, and where they are to be written: one after the other, in this order.
struct BatchRequest {
  std::span<const std::int64_t> samples = {};  ///< numbers in [0, num_samples); one may come twice
  std::span<float> values = {};                ///< sample_size() floats a sample, row-major; of any alignment
  std::span<std::int32_t> labels = {};         ///< one a sample; empty for data with targets
  std::span<float> targets = {};               ///< num_targets floats a sample; empty for data with classes
  std::optional<DrawnFor> drawn = {};          ///< in training; nothing random is done to samples without it
  /// One a sample, or empty: what is 1 behind `fill` could not be read, and is left out. Where it is empty, or DataInfo
  /// does not say that data lacks samples, that is an error.
  std::span<std::uint8_t> holes = {};
};

/// Samples by number, wherever they come from: memory, files, a computation. Derive from it for data of one's own.
class DataSource {
 public:
  virtual ~DataSource() = default;
  DataSource& operator=(const DataSource&) = delete;

  const DataInfo& info() const { return info_; }

  /// Writes the samples asked for. Several threads may call it at once.
  /// @throws Error invalid_argument for a number that is no sample or room of another length; bad_data naming the
  /// sample for a label that is no class and a target that is not finite, or one of them that was not written at all.
  void fill(const BatchRequest& request) const;

  /// The classes of all samples, where they are known without reading these; else empty.
  virtual std::span<const std::int32_t> known_labels() const { return {}; }

 protected:
  /// @throws Error bad_data where `info` has no samples, a shape without floats, both classes and targets, or
  /// names that are not one a class, value or target.
  explicit DataSource(DataInfo info);
  DataSource(const DataSource&) = default;
  DataSource(DataSource&&) = default;

 private:
  /// Does so, for a request that has been checked, and by several threads at once. What a sample holds depends on its
  /// number alone, or, where `info` says that it varies, on this and `drawn`; values that are not written are zero.
  /// What it throws ends the step: an Error as it is, anything else as model_failed.
  virtual void read(const BatchRequest& request) const = 0;

  DataInfo info_;
};

/// Samples in memory, shared by the replicas of a process, and where they are loaded by name by all of a machine.
class Dataset final : public DataSource {
 public:
  /// @param shape of one sample, such as {1, 28, 28}; `values` holds the samples one after the other, row-major.
  /// @param origin see DataInfo::origin
  /// @throws Error bad_data when lengths do not fit, a label is not in [0, num_classes) or a target is not finite.
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes, std::string origin = {}, std::vector<std::string> class_names = {});
  /// The same from bytes; a sample's floats are `scale` times its bytes.
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes, std::string origin = {},
                         std::vector<std::string> class_names = {});
  /// Samples for a regression, with `num_targets` targets each, sample after sample.
  static Dataset targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets,
                         std::int64_t num_targets = 1, std::string origin = {});

  /// Samples to be predicted, of which nothing else is known.
  static Dataset unlabelled(std::vector<std::int64_t> shape, std::vector<float> values, std::string origin = {});

  std::span<const std::int32_t> known_labels() const override;

 private:
  friend struct DatasetArrays;

  Dataset(DataInfo info, std::shared_ptr<const DatasetArrays> arrays);
  void read(const BatchRequest& request) const override;

  std::shared_ptr<const DatasetArrays> arrays_;
};

/// A training set and, where there are such, a test set and a validation set of samples like its.
struct TrainingData {
  std::shared_ptr<const DataSource> train;
  std::shared_ptr<const DataSource> test = nullptr;
  std::shared_ptr<const DataSource> validation = nullptr;
};

/// Makes data from what stands behind the colon of its name ("" where there is none) and the run's seed.
using MakeData = std::function<TrainingData(const std::string& arguments, std::uint64_t seed)>;

/// How data is asked for by its name.
struct DataUsage {
  std::string arguments = {};  ///< may follow the name, as errors show it: "[:DIR]", ":FILE"; "" where nothing may
  bool drawn = false;          ///< from the seed; other data is made with seed 0, once for all seeds
};

/// Makes data known under a name, for `load_data` and the built-in models' "data". Call it before `init`, so that
/// worker processes know it, too. `make` may load other data.
/// @throws Error invalid_argument for a name that is taken, empty or has a colon.
void register_data(const std::string& name, MakeData make, const DataUsage& usage = {});

/// Loads data by a name that was registered, such as the built-in `cifar10:DIR`, `csv:...`, `fashion-mnist[:DIR]`,
/// `fold:...`, `idx:...`, `images:...`, `mock-images[:SIZE[,CLASSES[,IMAGES]]]`, `npy:...`, `npz:...`,
/// `synthetic-linear`, `tar:...` and `text:...`. Within a process the same name and seed give the same object while
/// somebody holds it.
///
/// `csv:FILE[,FILE...][,OPTION...]` reads CSV files (RFC 4180), names or patterns such as part-*.csv. Columns go by
/// their names in the first row, or, where that has a number in it, by their numbers from 1 on.
/// `target=COLUMN[+COLUMN...]` are the targets, `class=COLUMN` the class; without either the last column is one or the
/// other, by what it holds. All others but `ignore=COLUMN[+COLUMN...]` are a sample's values: a number one value; a
/// text, and what `text=COLUMN[+COLUMN...]` names, as many as there are different ones, of which one is 1. What is a
/// text is found by the first 1,000 rows. Fields that are empty or NA, N/A, NaN, null, none or ? are missing: an error,
/// unless `missing=skip` leaves their rows out, or `missing=mean` or `missing=NUMBER` fills them. `test=FILE`
/// is a file of the test set, `header=yes|no` and `separator=LETTER|tab|comma` say what else is found out.
///
/// `images:DIR[,test=DIR][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,damaged=skip]` reads PNG and JPEG files, a folder in
/// DIR a class, whose name is the class's; they are numbered in the order of these, and so are the files of each.
/// Samples are {channels, height, width}, of bytes divided by 255: the middle of each image that has these proportions,
/// scaled. What is not told is the size of the first image, and 3 channels. Images are decoded whenever they are asked
/// for; with `damaged=skip` those that cannot be are left out.
///
/// `npy:IMAGES.npy,LABELS.npy[,TEST_IMAGES.npy,TEST_LABELS.npy][,layout=nchw|nhwc]` reads NumPy's files, of integers,
/// floats (f2, f4, f8) or bool, little or big endian. Samples are arrays (samples, features), (samples, height, width)
/// or (samples, channels, height, width). Of the last kind those whose last length is at most 4, and whose second is
/// more, count as (samples, height, width, channels), unless `layout` says what they are. Unsigned bytes are divided by
/// 255; every other type is taken as it is. Labels of integers or bool, (samples) or (samples, 1), are classes from 0
/// to the largest in either set; labels of floats, (samples) or (samples, targets), are targets, whatever they hold.
/// `idx:` takes the same of IDX files, as MNIST's are, gzipped or not. Each name may be a pattern: then as many files
/// of samples as of labels, which are one set. A set of npy that takes more than half of MemoryOptions::data_bytes
/// stays in its files, and its samples are read when they are asked for.
///
/// `npz:FILE.npz[,x=NAME,y=NAME[,test_x=NAME,test_y=NAME]][,layout=nchw|nhwc]` takes the same out of one file, as
/// numpy.savez writes it; without names the arrays x_train, y_train, x_test, y_test, or x, y, images, labels, data,
/// target, arr_0, arr_1 and so on.
///
/// `fold:I/K:NAME`, such as fold:2/5:fashion-mnist, is fold I, from 1 on, of the K of a cross-validation of other data:
/// its validation set is a K-th of that data's training set, with its share of each class, and its training set the
/// rest; the test set is that data's. Folds are the same for all seeds, where the data is; together they have each
/// sample once.
///
/// `text:FILE[,FILE...][,test=FILE][,symbols=characters|bytes][,window=64][,stride=1]` reads texts. Samples are windows
/// {window, symbols} of symbols that follow each other, of whose values one is 1, each `stride` behind the one before;
/// the class of each is the symbol behind it. Texts stay in their files.
///
/// `tar:PATTERN[,PATTERN...][,test=PATTERN][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,memory=MEGABYTES][,damaged=skip]`
/// reads samples out of tar archives, plain or compressed by gzip or zstd, in order of the names; a range {000..009}
/// stands for its numbers. As in WebDataset, members that follow each other and have one name up to the first dot are a
/// sample:
/// `.jpg`, `.jpeg`, `.png` an image as above, or `.npy`, `.x.npy` an array, whose unsigned bytes are divided by 255.
/// What it has is the first that is there of `.y.npy` or `.target.npy` targets, `.cls` the class's number, `.json`
/// {"label": number or name}, `.txt` the class's name, its folder. An index of each archive is kept beside it as
/// `NAME.index`. Compressed archives are parts (DataInfo::parts) of at most 256 MB, of which MEGABYTES (512) are held
/// in memory. `pipe:COMMAND` for a PATTERN is an archive that a command of the shell writes, where TROUPE_ALLOW_PIPE is
/// 1 in the environment.
/// @throws Error invalid_argument that lists what there is, and what making the data throws, such as bad_file or
/// bad_data naming the file, or limit_reached.
TrainingData load_data(const std::string& name, std::uint64_t seed = 1);

/// The same for a network that was trained before: a table or a text becomes samples as `trained.encoding` says, such
/// as `Predictor::data()` has it. Columns are matched by name, whatever their order, and those that the network does
/// not know are ignored, with a line in the log; without a header, columns match by their number. Targets or classes
/// may be missing from the files. `unseen=zero` behind `csv:` or `text:` makes zeros of a category or symbol that the
/// training set did not have, which is an error otherwise (`unseen=error`). Data of other kinds, or an empty encoding,
/// is loaded as above.
/// @throws Error bad_file, bad_data that names file, row and column: a column that is missing, a category that the
/// training set did not have, a text for a number
TrainingData load_data(const std::string& name, const DataInfo& trained, std::uint64_t seed = 1);

/// The samples of shard `shard` are `shard`, `shard + num_shards`, ... Each epoch visits every sample of the shard
/// once, in an order drawn from (seed, shard, epoch). The order takes 8 bytes a sample of the shard, and 20 ns to draw.
///
/// Of data in parts (DataInfo::parts) the shard has the parts `shard`, `shard + num_shards`, ..., or, where there are
/// fewer parts than shards, its share of each part, the samples numbered as above. Each epoch takes the parts in an
/// order drawn from (seed, shard, epoch), and mixes the samples of some that follow each other: of as few as have
/// `window` samples, and no more than `held_parts`.
class BatchSampler {
 public:
  /// @param batch_size samples a step; 0 takes the whole shard, in order, at each step.
  BatchSampler(std::int64_t num_samples, std::int64_t batch_size);
  /// The same for samples that may come in parts. @param window see above
  BatchSampler(const DataInfo& info, std::int64_t batch_size, std::int64_t window = 4096);

  /// The same for all shards: what the largest needs. A shard that has run out gives no samples.
  std::int64_t steps_per_epoch(int num_shards) const;
  /// Sample numbers of the shard's batch at a step (valid until the next call).
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
};

}  // namespace troupe
