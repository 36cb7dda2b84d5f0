#include "models/data/data_registry.hpp"

#include <utility>

#include "models/data/builtin_data.hpp"
#include "models/data/csv/csv_arguments.hpp"
#include "runtime/invalid.hpp"
#include "runtime/registry.hpp"

namespace troupe {
namespace {

struct Kind {
  MakeData make;
  MakeTestSet make_test;
  DataUsage usage;
  MakeDataLike make_like = {};

  explicit operator bool() const { return static_cast<bool>(make); }
};

using Kinds = Registry<Kind>;

/// Returns the syntax of a kind's arguments for the list of all kinds of data. If the syntax is longer than 20
/// characters, shortens it to ":..." or "[:...]".
std::string in_short(const std::string& arguments) {
  constexpr std::size_t kLongest = 20;
  return arguments.size() <= kLongest ? arguments : arguments.starts_with("[") ? "[:...]" : ":...";
}

void add(Kinds& kinds, const std::string& name, MakeData make, const DataUsage& usage, MakeTestSet make_test = {},
         MakeDataLike make_like = {}) {
  const std::string& arguments = usage.arguments;
  if (name.find(':') != std::string::npos) throw_invalid("the name of data '" + name + "' must not contain a colon");
  if (!arguments.empty() && !arguments.starts_with(":") && !arguments.starts_with("[:"))
    throw_invalid("data '" + name + "': the usage '" + arguments + "' must start with ':' or '[:'");
  kinds.add(name, {std::move(make), std::move(make_test), usage, std::move(make_like)}, in_short(arguments));
}

Kinds* with_builtin_data() {
  auto* const kinds = new Kinds("data source");
  add(*kinds, "cifar10", cifar10, {.arguments = ":DIR"}, cifar10_test);
  add(*kinds, "csv", csv_files, {.arguments = kCsvUsage}, {}, csv_files_like);
  add(*kinds, "fashion-mnist", fashion_mnist, {.arguments = "[:DIR]"}, fashion_mnist_test);
  add(*kinds, "fold", fold_of_named, {.arguments = kFoldUsage, .drawn = true}, {},
      fold_of_named_like);  // `drawn` is true, because the data that is divided into folds may depend on the seed
  add(*kinds, "idx", idx_files, {.arguments = kIdxUsage});
  add(*kinds, "images", image_folder, {.arguments = kImagesUsage}, {}, image_folder_like);
  add(*kinds, "mock-images", mock_images, {.arguments = "[:SIZE[,CLASSES[,IMAGES]]]", .drawn = true});
  add(*kinds, "npy", npy_files, {.arguments = kNpyUsage});
  add(*kinds, "npz", npz_files, {.arguments = kNpzUsage});
  add(*kinds, "synthetic-linear", synthetic_linear, {.drawn = true});
  add(*kinds, "tar", tar_files, {.arguments = kTarUsage});
  add(*kinds, "text", text_files, {.arguments = kTextUsage}, {}, text_files_like);
  add(*kinds, "tokens", token_files, {.arguments = kTokensUsage}, {}, token_files_like);
  return kinds;
}

Kinds& kinds() {
  static Kinds& registered = *with_builtin_data();  // never destroyed, because threads of abandoned replicas may use it
                                                    // after main has returned
  return registered;
}

}  // namespace

void register_data(const std::string& name, MakeData make, const DataUsage& usage) {
  add(kinds(), name, std::move(make), usage);
}

NamedData find_data(const std::string& full_name) {
  const std::size_t colon = full_name.find(':');
  const bool has_arguments = colon != std::string::npos;
  const std::string name = full_name.substr(0, colon);
  const Kind& kind = kinds().find(name);
  const std::string& usage = kind.usage.arguments;
  if (has_arguments ? usage.empty() : usage.starts_with(":"))
    throw_invalid("data '" + full_name + "' does not have the form " + name + usage);
  return {kind.make, kind.make_test, kind.make_like, kind.usage.drawn,
          has_arguments ? full_name.substr(colon + 1) : ""};
}

}  // namespace troupe
