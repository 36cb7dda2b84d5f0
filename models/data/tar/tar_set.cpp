#include "models/data/tar/tar_set.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/in_parallel.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/transfers.hpp"
#include "runtime/http/url.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr const char* kAnswerNames[] = {"no class", "a class by its number", "a class by its name", "targets"};

/// An archive that was opened.
struct Opened {
  std::vector<TarPart> parts = {};
  TarSampleList samples = {};
};

/// The number of archives whose lists of samples may be in memory at the same time.
constexpr std::size_t kOpenedTogether = std::size_t{4} * Transfers::kMostConnections;

/// Opens archives on servers, several at a time. Archives in files are not opened.
std::vector<Opened> open_remote(std::span<const std::string> archives, TarParts& parts) {
  std::vector<Opened> opened(archives.size());
  in_parallel(std::ranges::any_of(archives, is_url) ? archives.size() : 0, [&](std::size_t i) {
    if (is_url(archives[i])) opened[i].parts = parts.open(archives[i], opened[i].samples);
  });
  return opened;
}

/// Opens the archives of a set, and collects their samples in a TarSet.
class SetOpener {
 public:
  SetOpener(TarParts& parts, TarTraits& traits, bool is_test) : parts_(parts), traits_(traits), is_test_(is_test) {
    for (const std::string& name : traits.names) numbers_.emplace(name, static_cast<std::int32_t>(numbers_.size()));
  }

  TarSet open(std::span<const std::string> archives) {
    for (std::span<const std::string> rest = archives; !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), kOpenedTogether));
      std::vector<Opened> opened = open_remote(some, parts_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        auto& [parts, samples] = opened[i];
        if (parts.empty()) parts = parts_.open(some[i], samples);
        add(std::move(parts), std::exchange(samples, {}));
      }
      rest = rest.subspan(some.size());
    }
    if (!is_test_) sort_names();
    return std::move(set_);
  }

 private:
  /// Adds an archive.
  void add(std::vector<TarPart> parts, const TarSampleList& samples) {
    std::int64_t first = std::ssize(set_.values);
    for (TarPart& part : parts) {
      set_.firsts.push_back(first);
      first += static_cast<std::int64_t>(part.samples);
      set_.parts.push_back(std::move(part));
    }
    samples.for_each([this](const TarSample& sample) { add(sample); });
  }

  void add(const TarSample& sample) {
    check(sample);
    if (sample.answer == TarAnswer::targets)
      set_.targets.emplace_back(sample.targets);
    else
      set_.labels.push_back(sample.answer == TarAnswer::number ? number_of(sample) : number_of_name(sample));
    set_.values.emplace_back(sample.values);
  }

  /// Checks that a sample has what the first sample has.
  void check(const TarSample& sample) {
    const bool is_image = is_image_member(sample.values.name);
    if (traits_.answer == TarAnswer::none) {
      traits_.answer = sample.answer;
      traits_.images = is_image;
    }
    if (sample.answer != traits_.answer)
      refuse(sample, std::string("this sample has ") + kAnswerNames[static_cast<int>(sample.answer)] +
                         ", but the first sample has " + kAnswerNames[static_cast<int>(traits_.answer)]);
    if (is_image != traits_.images)
      refuse(sample, is_image ? "this sample is an image, but the first sample is an array"
                              : "this sample is an array, but the first sample is an image");
  }

  std::int32_t number_of(const TarSample& sample) {
    std::int32_t number = -1;
    const char* const end = sample.label.data() + sample.label.size();
    const auto read = std::from_chars(sample.label.data(), end, number);
    if (read.ptr != end || read.ec != std::errc{} || number < 0 || number == INT32_MAX)
      refuse(sample, "the index of the archive is wrong: class '" + printable(sample.label, 50) + "' is not a number");
    if (number >= kMostClasses)
      refuse(sample, "class " + std::to_string(number) + " is out of range: classes are 0 to " +
                         std::to_string(kMostClasses - 1));
    traits_.count = std::max(traits_.count, number + 1);
    return number;
  }

  std::int32_t number_of_name(const TarSample& sample) {
    const auto found = numbers_.find(sample.label);
    if (found != numbers_.end()) return found->second;
    if (is_test_)
      refuse(sample, "class '" + printable(sample.label) + "' is not among the classes of the training set");
    return numbers_.emplace(sample.label, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

  /// Gives each class a new number, in the order of the names of the classes, and replaces the old numbers in the
  /// labels.
  void sort_names() {
    std::vector<std::int32_t> becomes(numbers_.size());
    for (const auto& [name, number] : numbers_) {
      becomes[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(traits_.names.size());
      traits_.names.push_back(name);
    }
    if (traits_.answer != TarAnswer::name) return;
    for (std::int32_t& label : set_.labels) label = becomes[static_cast<std::size_t>(label)];
    traits_.count = static_cast<std::int32_t>(traits_.names.size());
  }

  [[noreturn]] void refuse(const TarSample& sample, const std::string& why) const {
    throw_bad_file(place_of(set_.parts.back().shown, sample.values), why);
  }

  TarParts& parts_;
  TarTraits& traits_;
  bool is_test_;
  std::map<std::string, std::int32_t> numbers_;  ///< the number of each class, by its name
  TarSet set_;
};

}  // namespace

std::size_t TarSet::part_of(std::size_t sample) const {
  const auto after = std::ranges::upper_bound(firsts, static_cast<std::int64_t>(sample));
  return static_cast<std::size_t>(after - firsts.begin()) - 1;
}

TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarTraits& traits) {
  return SetOpener(parts, traits, /*is_test=*/false).open(archives);
}

TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarTraits& traits) {
  return SetOpener(parts, traits, /*is_test=*/true).open(archives);
}

}  // namespace troupe
