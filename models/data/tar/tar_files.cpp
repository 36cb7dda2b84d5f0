#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/damaged.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/images/image_options.hpp"
#include "models/data/remote_blocks.hpp"
#include "models/data/tar/tar_parts.hpp"
#include "models/data/tar/tar_set.hpp"
#include "models/files/images/image.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/url.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

/// The arguments after "tar:" in a data name.
struct TarArguments {
  std::vector<std::string> train;  ///< archives of the training set: files, with patterns and ranges expanded, and
                                   ///< commands after kPipe
  std::vector<std::string> test;
  ImageOptions images;
  std::uint64_t held_bytes = part_memory();  ///< maximum number of bytes of all archives in memory together
};

void add_archives(std::vector<std::string>& archives, const std::string& pattern) {
  for (const std::string& name : expand_ranges(pattern)) {
    if (name == kPipe) throw_invalid("tar:" + pattern + " has no command after " + kPipe);
    if (name.starts_with(kPipe))
      archives.push_back(name);
    else
      for (std::string& file : files_of(name)) archives.push_back(std::move(file));
  }
}

std::uint64_t bytes_of_megabytes(const std::string& text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  std::uint64_t megabytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  if (error != std::errc{} || end != text.data() + text.size() || megabytes < 1 || megabytes > kMost)
    throw_invalid("tar: memory=" + text + " must be a number of megabytes");
  return megabytes << 20;
}

/// Parses `text`, the arguments after "tar:", and returns them.
/// @throws Error invalid_argument if the arguments are invalid, bad_file if a pattern matches no file
TarArguments parse_tar_arguments(const std::string& text) {
  TarArguments asked;
  DataOptions options{{"test", [&](const std::string& value) { add_archives(asked.test, value); }},
                      {"memory", [&](const std::string& value) { asked.held_bytes = bytes_of_megabytes(value); }}};
  asked.images.add_to(options, "tar");
  for (const std::string& pattern : parse_data_arguments("tar", text, kTarUsage, options))
    add_archives(asked.train, pattern);
  if (asked.train.empty()) throw_invalid("tar:" + text + " does not name an archive; usage: tar" + kTarUsage);
  return asked;
}

/// The properties that all samples of the training set and of the test set have in common.
struct TarForm {
  bool images = false;  ///< as TarTraits::images
  bool bytes = false;   ///< whether the elements of the arrays are unsigned bytes
  std::vector<std::int64_t> shape = {};
  std::int64_t num_targets = 0;
  bool skips = false;  ///< whether to skip samples that cannot be read
};

std::string origin_of_set(const TarSet& set) {
  return set.parts.front().shown +
         (set.parts.size() > 1 ? " and " + std::to_string(set.parts.size() - 1) + " more" : "");
}

DataInfo info_of_set(const TarSet& set, const TarForm& form, const TarTraits& traits) {
  DataInfo info{.num_samples = std::ssize(set.values),
                .shape = form.shape,
                .num_classes = traits.answer == TarAnswer::targets ? 0 : traits.count,
                .num_targets = form.num_targets,
                .class_names = traits.names,
                .byte_scale = form.images || form.bytes ? static_cast<double>(kByteScale) : 0,
                .origin = origin_of_set(set),
                .lacks = form.skips,
                .slow = true};
  if (std::ranges::none_of(set.parts, &TarPart::is_held)) return info;
  info.parts = set.firsts;
  std::uint64_t largest = 1;
  for (const TarPart& part : set.parts) largest = std::max(largest, part.is_held ? part.bytes() : 0);
  info.held_parts =
      static_cast<int>(std::max<std::uint64_t>(1, std::min<std::uint64_t>(kMostBytesMixed / largest, 1000)));
  return info;
}

NumberArray array_of(const TarContent& content) { return parse_npy(content.place, content.bytes); }

std::vector<std::int64_t> lengths_of(const NumberArray& array) {
  return array.shape.empty() ? std::vector<std::int64_t>{1} : array.shape;
}

/// The samples of tar archives as data. Samples are decoded on demand.
class TarData final : public DataSource {
 public:
  TarData(TarSet set, TarForm form, const TarTraits& traits, std::shared_ptr<TarParts> parts)
      : DataSource(info_of_set(set, form, traits)),
        set_(std::move(set)),
        form_(std::move(form)),
        parts_(std::move(parts)),
        damaged_(form_.skips) {
    if (form_.images) use_ = use_of(form_.shape);
  }

  std::span<const std::int32_t> known_labels() const override { return set_.labels; }

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override try {
    const auto part = [this](std::int64_t sample) -> const TarPart& {
      return set_.parts[set_.part_of(static_cast<std::size_t>(sample))];
    };
    for (const std::int64_t sample : used) parts_->release(part(sample));
    for (const std::int64_t sample : coming) parts_->prefetch(part(sample));
  } catch (const std::exception&) {  // the error, if it persists, is that of `read`
  }

 private:
  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    std::shared_ptr<const ArchiveBytes> archive;
    std::size_t part = set_.parts.size();
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto sample = static_cast<std::size_t>(request.samples[i]);
      if (std::exchange(part, set_.part_of(sample)) != set_.part_of(sample)) archive = parts_->get(set_.parts[part]);
      damaged_.read(request, i, [&] {
        write_values(read_member(*archive, set_.values[sample]), request.values.subspan(i * size, size));
        if (targets > 0)
          write_array(read_member(*archive, set_.targets[sample]), request.targets.subspan(i * targets, targets));
      });
      if (targets == 0) request.labels[i] = set_.labels[sample];
    }
  }

  void write_values(const TarContent& content, std::span<float> to) const {
    if (form_.images)
      return write_sample(decode_image(content.place, content.bytes, use_), form_.shape, kByteScale, to);
    const NumberArray array = write_array(content, to);
    if (array.is_byte() != form_.bytes || lengths_of(array) != form_.shape)
      throw_bad_file(content.place, "the array differs in shape or type from the first sample's");
    if (form_.bytes) std::ranges::for_each(to, [](float& value) { value *= kByteScale; });
  }

  static NumberArray write_array(const TarContent& content, std::span<float> to) {
    NumberArray array = array_of(content);
    if (static_cast<std::size_t>(array.size()) != to.size())
      throw_bad_file(content.place, "the array has " + std::to_string(array.size()) +
                                        " numbers, but that of the first sample has " + std::to_string(to.size()));
    std::ranges::copy(array.floats(), to.begin());
    const auto infinite = std::ranges::find_if(to, [](float value) { return !std::isfinite(value); });
    if (infinite != to.end())
      throw Error(ErrorCode::bad_data, "value " + std::to_string(*infinite) + " of the array is not finite",
                  {.object = content.place});
    return array;
  }

  TarSet set_;
  TarForm form_;
  ImageUse use_;
  std::shared_ptr<TarParts> parts_;
  DamagedSamples damaged_;
};

/// Returns the properties that all samples must have. The options of the user (`asked`) determine them; the first
/// sample determines the properties for which there is no option.
TarForm form_of(const TarSet& set, const TarTraits& traits, const ImageOptions& asked, TarParts& parts) {
  TarForm form{.images = traits.images, .skips = asked.skips};
  const auto archive = parts.get_for_one(set.parts.front());
  if (form.images) {
    form.shape = asked.shape([&] {
      const TarContent first = read_member(*archive, set.values.front());
      return decode_image(first.place, first.bytes, asked.first_use());
    });
  } else {
    if (asked.is_told()) throw_invalid("tar: size= and channels= apply only to images, but the samples are arrays");
    const NumberArray array = array_of(read_member(*archive, set.values.front()));
    form.shape = lengths_of(array);
    form.bytes = array.is_byte();
  }
  if (!set.targets.empty()) form.num_targets = array_of(read_member(*archive, set.targets.front())).size();
  return form;
}

}  // namespace

TrainingData tar_files(const std::string& arguments, std::uint64_t /*seed*/) {
  const TarArguments asked = parse_tar_arguments(arguments);
  const auto parts = std::make_shared<TarParts>(asked.held_bytes);
  TarTraits traits;
  TarSet train = open_training_set(asked.train, *parts, traits);
  if (train.parts.size() > 1 && std::ranges::any_of(asked.train, is_url)) warn_of_little_part_memory(asked.held_bytes);
  const TarForm form = form_of(train, traits, asked.images, *parts);
  TrainingData data;
  if (!asked.test.empty()) {
    TarSet test = open_test_set(asked.test, *parts, traits);
    data.test = std::make_shared<const TarData>(std::move(test), form, traits, parts);
  }
  data.train = std::make_shared<const TarData>(std::move(train), form, traits, parts);
  return data;
}

}  // namespace troupe
