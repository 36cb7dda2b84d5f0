#include "models/data/tar/tar_samples.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The role of a member in its sample. `values` is the image or array itself. `more_values` is an image whose extension
/// has several parts, such as "left.jpg"; it is used only if no member has the role `values`. The class is in a member
/// of the role `number` (.cls), `object` (.json) or `name` (.txt).
enum class TarRole : std::uint8_t { values, more_values, targets, number, object, name, none };

constexpr std::array<std::pair<std::string_view, TarRole>, 10> kRoles{{{"jpg", TarRole::values},
                                                                       {"jpeg", TarRole::values},
                                                                       {"png", TarRole::values},
                                                                       {"npy", TarRole::values},
                                                                       {"x.npy", TarRole::values},
                                                                       {"y.npy", TarRole::targets},
                                                                       {"target.npy", TarRole::targets},
                                                                       {"cls", TarRole::number},
                                                                       {"json", TarRole::object},
                                                                       {"txt", TarRole::name}}};
constexpr std::uint64_t kLongestNumber = 1024;
constexpr std::uint64_t kLongestJson = std::uint64_t{1} << 20;
constexpr std::size_t kLongestClassName = 200;
constexpr int kDeepestJson = 64;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return lower;
}

/// The name of a member, split into the key and the extension at the first dot after the last slash.
struct TarName {
  std::string_view key;
  std::string extension;  ///< in lower case

  explicit TarName(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    const std::size_t dot = name.find('.', slash == std::string_view::npos ? 0 : slash + 1);
    key = name.substr(0, dot);
    if (dot != std::string_view::npos) extension = lower_case(name.substr(dot + 1));
  }
  bool is_hidden() const { return key.empty() || key.ends_with('/'); }
};

TarRole role_of(const std::string& extension) {
  const auto* const found = std::ranges::find(kRoles, extension, [](const auto& each) { return each.first; });
  if (found != kRoles.end()) return found->second;
  const std::string last = extension.substr(extension.rfind('.') + 1);
  return last == "jpg" || last == "jpeg" || last == "png" ? TarRole::more_values : TarRole::none;
}

std::string trimmed(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1));
}

/// Returns the number of a class that `text` contains, without leading zeros, such as "7" for "07". Returns nothing if
/// the text is not an integer from 0 to 2^31 - 2.
std::optional<std::string> class_number(const std::string& text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number == INT32_MAX)
    return std::nullopt;
  return std::to_string(number);
}

/// Groups consecutive members of an archive into samples. Call `add` for each member in order, and then `take`.
class SampleFinder {
 public:
  explicit SampleFinder(const ArchiveBytes& archive) : archive_(archive) {}

  void add(const TarMember& member) {
    const TarName name(member.name);
    if (name.is_hidden()) return;
    if (name.key != key_) end_sample();
    key_ = name.key;
    const TarRole role = role_of(name.extension);
    if (role == TarRole::none) return;
    if (member.kind == TarMember::Kind::link)
      refuse(member, "this is a link; create the archive with tar --hard-dereference");
    if (member.kind == TarMember::Kind::sparse) refuse(member, "this is a sparse file, which is not supported");
    auto& place = of(role);
    if (place && role == TarRole::more_values)
      second_ = member;
    else if (place)
      refuse_second(member);
    else
      place = member;
  }

  TarSampleList take() {
    end_sample();
    return std::move(samples_);
  }

 private:
  std::optional<TarMember>& of(TarRole role) { return members_[static_cast<std::size_t>(role)]; }

  void end_sample() {
    if (of(TarRole::values) || of(TarRole::more_values)) {
      if (!of(TarRole::values) && second_) refuse_second(*second_);
      TarSample sample{.values = of(TarRole::values) ? *of(TarRole::values) : *of(TarRole::more_values)};
      answer(sample);
      samples_.add(sample);
    }
    for (const TarRole role : {TarRole::targets, TarRole::number})
      if (of(role) && !of(TarRole::values) && !of(TarRole::more_values))
        refuse(*of(role),
               "the sample has no image or array of this name; the members of a sample must be adjacent, "
               "as with tar --sort=name");
    members_ = {};
    second_ = {};
  }

  /// Sets the class or the targets of a sample. If the sample has several members that contain them, uses the first in
  /// this list: the array of targets, the number in .cls, the label in .json, the name in .txt. If there is no such
  /// member, the name of the folder is the class.
  void answer(TarSample& sample) {
    if (of(TarRole::targets)) {
      sample.answer = TarAnswer::targets;
      sample.targets = *of(TarRole::targets);
    } else if (of(TarRole::number)) {
      set_number(sample, *of(TarRole::number), trimmed(read(*of(TarRole::number), kLongestNumber)));
    } else if (!(of(TarRole::object) && answer_by_json(sample, *of(TarRole::object)))) {
      answer_by_name(sample);
    }
  }

  void set_number(TarSample& sample, const TarMember& member, const std::string& text) const {
    const auto number = class_number(text);
    if (!number) refuse(member, "'" + printable(text, 50) + "' is not the number of a class");
    sample.answer = TarAnswer::number;
    sample.label = *number;
  }

  /// Sets the class of a sample from its .json member. Returns false if the JSON contains no class.
  bool answer_by_json(TarSample& sample, const TarMember& member) const {
    const std::vector<std::byte> bytes = read(member, kLongestJson);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    nlohmann::json parsed = parse_strictly(place_of(archive_.path(), member), "the member", text, kDeepestJson);
    if (parsed.is_object()) parsed = parsed.value("label", nlohmann::json());
    if (parsed.is_string())
      set_name(sample, member, parsed.get<std::string>());
    else if (parsed.is_number())
      set_number(sample, member, parsed.dump());
    return sample.answer != TarAnswer::none;
  }

  void answer_by_name(TarSample& sample) {
    if (of(TarRole::name))
      return set_name(sample, *of(TarRole::name), trimmed(read(*of(TarRole::name), kLongestClassName)));
    const std::string& name = sample.values.name;
    const std::size_t end = name.rfind('/');
    const std::string folders = end == std::string::npos ? "" : name.substr(0, end);
    const std::string folder = folders.substr(folders.rfind('/') + 1);
    if (folder.empty() || folder == "." || folder == "..")
      refuse(
          sample.values,
          "the sample has no class: there is no .cls, .json, .txt, .y.npy or .target.npy of this name, and no folder");
    set_name(sample, sample.values, folder);
  }

  void set_name(TarSample& sample, const TarMember& member, std::string name) const {
    if (name.empty() || name.size() > kLongestClassName || !is_printable(name))
      refuse(member, "'" + printable(name, 50) + "' is not a valid class name");
    sample.answer = TarAnswer::name;
    sample.label = std::move(name);
  }

  std::vector<std::byte> read(const TarMember& member, std::uint64_t most) const {
    std::vector<std::byte> content = read_member(archive_, member).bytes;
    if (content.size() > most) refuse(member, "the member is longer than " + std::to_string(most) + " bytes");
    return content;
  }

  [[noreturn]] void refuse(const TarMember& member, const std::string& why) const {
    throw_bad_file(place_of(archive_.path(), member), why);
  }
  [[noreturn]] void refuse_second(const TarMember& member) const {
    refuse(member, "the second member of its kind in the sample '" + printable(key_, 200) +
                       "'; a sample's name ends at the first dot");
  }

  const ArchiveBytes& archive_;
  std::string key_;
  std::array<std::optional<TarMember>, static_cast<std::size_t>(TarRole::none)> members_;
  std::optional<TarMember> second_;  ///< a further member with the role more_values, if any; it causes an error if no
                                     ///< member has the role values
  TarSampleList samples_;
};

}  // namespace

TarSampleList find_samples(const ArchiveBytes& archive) {
  SampleFinder finder(archive);
  for_each_member(archive, [&](const TarMember& member) { finder.add(member); });
  return finder.take();
}

bool is_image_member(const std::string& name) { return !lower_case(name).ends_with(".npy"); }

}  // namespace troupe
