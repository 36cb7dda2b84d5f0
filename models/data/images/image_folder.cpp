#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/damaged.hpp"
#include "models/data/images/image_options.hpp"
#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/letter.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

/// The arguments after "images:" in a data name.
struct FolderArguments {
  std::string folder;
  std::string test;  ///< the folder of the test set; empty: no test set
  ImageOptions images;
};

struct LabelledFile {
  std::string name;  ///< path of the file, relative to the folder of the set
  std::int32_t label = 0;
};

/// A folder of images with one subfolder for each class.
struct ClassFolders {
  std::string folder;
  std::vector<std::string> classes;  ///< ordered by name
  std::vector<LabelledFile> files;   ///< ordered by name
};

FolderArguments parse_folder_arguments(const std::string& text) {
  FolderArguments asked;
  DataOptions options{{"test", [&](const std::string& value) { asked.test = value; }}};
  asked.images.add_to(options, "images");
  const auto folders = parse_data_arguments("images", text, kImagesUsage, options);
  if (folders.size() != 1) throw_invalid("images:" + text + " does not have the form images" + kImagesUsage);
  asked.folder = folders.front();
  return asked;
}

/// Returns the names of the entries of a folder for which `wanted` returns true, in alphabetical order. Leaves out
/// hidden entries, whose names begin with a dot.
template <class Wanted>
std::vector<std::string> names_in(const fs::path& folder, const Wanted& wanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && wanted(entry)) names.push_back(std::move(name));
  }
  if (error) throw_bad_file(folder, "cannot list the folder: " + error.message());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::error_code ignored;
  return names_in(folder, [&](const fs::directory_entry& entry) { return entry.is_directory(ignored); });
}

bool is_image_name(const fs::path& name) {
  std::string ending = name.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

/// Returns the names of the image files in a folder, in alphabetical order.
/// @param skips whether to skip images that cannot be read. If true, the result also includes entries with the name of
/// an image that are not files, such as dangling links; they are skipped when they are read. If false, such an entry is
/// an error
std::vector<std::string> images_in(const fs::path& folder, bool skips) {
  return names_in(folder, [&](const fs::directory_entry& entry) {
    if (!is_image_name(entry.path())) return false;
    std::error_code ignored;
    if (!skips && !entry.is_regular_file(ignored))
      throw_bad_file(entry.path(), "the name is that of an image, but this is neither a file nor a link to a file");
    return true;
  });
}

/// Returns the image files in the subfolders of `folder`. Each subfolder is a class.
/// @param classes the names of the allowed classes; empty: every subfolder is allowed
/// @param skips whether to skip images that cannot be read
/// @param whose the description of `classes` for the error message about a subfolder that is not allowed
ClassFolders list_folder(const std::string& folder, std::vector<std::string> classes, bool skips,
                         const char* whose = "the classes of the training set") {
  ClassFolders found{folder, std::move(classes), {}};
  const std::vector<std::string> names = folders_in(folder);
  const bool trains = found.classes.empty();
  if (trains) found.classes = names;
  for (const std::string& name : names) {
    if (!is_utf8(name)) throw_bad_file(folder, "the name of the class '" + printable(name) + "' is not valid UTF-8");
    const auto place = std::ranges::find(found.classes, name);
    if (place == found.classes.end()) throw_bad_file(folder, "class '" + printable(name) + "' is not among " + whose);
    const std::vector<std::string> images = images_in(fs::path(folder) / name, skips);
    if (trains && images.empty() && names.size() > 1)
      throw_bad_file(fs::path(folder) / name, "this class has no .jpg, .jpeg or .png file");
    for (const std::string& file : images)
      found.files.push_back({fs::path(name) / file, static_cast<std::int32_t>(place - found.classes.begin())});
  }
  if (found.files.empty())
    throw_bad_file(folder,
                   "no subfolder contains a .jpg, .jpeg or .png file; put the images of each class into a subfolder");
  return found;
}

/// The images of a folder as data. Images are decoded on demand.
class ImageFolder final : public DataSource {
 public:
  ImageFolder(ClassFolders files, std::vector<std::int64_t> shape, bool skips)
      : DataSource({.num_samples = std::ssize(files.files),
                    .shape = std::move(shape),
                    .num_classes = static_cast<int>(files.classes.size()),
                    .class_names = files.classes,
                    .byte_scale = static_cast<double>(kByteScale),
                    .origin = files.folder,
                    .lacks = skips,
                    .slow = true}),
        folder_(std::move(files.folder)),
        files_(std::move(files.files)),
        use_(use_of(info().shape)),
        damaged_(skips) {
    for (const LabelledFile& file : files_) labels_.push_back(file.label);
  }

  std::span<const std::int32_t> known_labels() const override { return labels_; }

 private:
  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const LabelledFile& file = files_[static_cast<std::size_t>(request.samples[i])];
      damaged_.read(request, i, [&] {
        write_sample(read_image(folder_ + "/" + file.name, use_), info().shape, kByteScale,
                     request.values.subspan(i * size, size));
      });
      request.labels[i] = labels_[static_cast<std::size_t>(request.samples[i])];
    }
  }

  std::string folder_;
  std::vector<LabelledFile> files_;
  std::vector<std::int32_t> labels_;
  ImageUse use_;
  DamagedSamples damaged_;
};

/// Returns the training set and, if the user named a folder for the test set, also the test set.
/// @param classes the names of the allowed classes; empty: all subfolders of the training folder are classes
/// @param usual the shape of samples if the user chose neither the size nor the channels; empty: the shape of the first
/// image
TrainingData read_folders(const FolderArguments& asked, std::vector<std::string> classes,
                          const std::vector<std::int64_t>& usual) {
  ClassFolders train =
      list_folder(asked.folder, std::move(classes), asked.images.skips, "the classes that the network was trained on");
  const std::string first = train.folder + "/" + train.files.front().name;
  const auto shape = asked.images.is_told() || usual.empty()
                         ? asked.images.shape([&] { return read_image(first, asked.images.first_use()); })
                         : usual;
  TrainingData data;
  if (!asked.test.empty())
    data.test = std::make_shared<const ImageFolder>(list_folder(asked.test, train.classes, asked.images.skips), shape,
                                                    asked.images.skips);
  data.train = std::make_shared<const ImageFolder>(std::move(train), shape, asked.images.skips);
  return data;
}

}  // namespace

TrainingData image_folder(const std::string& arguments, std::uint64_t /*seed*/) {
  return read_folders(parse_folder_arguments(arguments), {}, {});
}

TrainingData image_folder_like(const std::string& arguments, const DataInfo& trained, std::uint64_t /*seed*/) {
  const auto& shape = trained.transforms.empty() ? trained.shape : trained.source_shape;
  const bool image = shape.size() == 3 && (shape.front() == 1 || shape.front() == 3);
  return read_folders(parse_folder_arguments(arguments), trained.class_names,
                      image ? shape : std::vector<std::int64_t>());
}

}  // namespace troupe
