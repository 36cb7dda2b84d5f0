#include "actors/trainer/trainer_checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "actors/functions/bundle.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/strict_json.hpp"
#include "models/files/weight_file.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/files/written_file.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescription = "checkpoint.json";
constexpr std::size_t kDigits = 6;

void write_file(const std::string& path, const std::string& content) {
  OutputFile file(path);
  file.write(std::as_bytes(std::span(content)));
  file.commit();
}

std::vector<TensorInfo> infos_of(const NamedTensors& tensors) {
  std::vector<TensorInfo> infos;
  for (const NamedTensor& each : tensors) infos.push_back({each.name, each.shape});
  return infos;
}

Json description_of(const Checkpoint& checkpoint) {
  Json tensors = Json::array();
  for (const NamedTensor& each : checkpoint.tensors) tensors.push_back({{"name", each.name}, {"shape", each.shape}});
  Json files = Json::array();
  for (const auto& [name, content] : checkpoint.files) files.push_back(name);
  return {{"troupe_checkpoint", 1},    {"number", checkpoint.number}, {"iteration", checkpoint.iteration},
          {"state", checkpoint.state}, {"tensors", tensors},          {"files", files}};
}

void write_content(const std::string& path, const Checkpoint& checkpoint) {
  if (!checkpoint.tensors.empty()) {
    std::vector<float> floats;
    for (const NamedTensor& each : checkpoint.tensors)
      floats.insert(floats.end(), each.values.begin(), each.values.end());
    write_safetensors(path + '/' + kTensorsFile, infos_of(checkpoint.tensors), floats);
  }
  std::string files = path + "/files";
  if (!checkpoint.files.empty()) fs::create_directory(files);
  files += '/';
  for (const auto& [name, content] : checkpoint.files) write_file(files + name, content);
  write_file(path + '/' + kDescription, description_of(checkpoint).dump(2, ' ', false, Json::error_handler_t::replace));
}

NamedTensors read_tensors(const std::string& path, const Json& described) {
  NamedTensors tensors;
  for (const Json& each : described)
    tensors.push_back({each.at("name").get<std::string>(), each.at("shape").get<std::vector<std::int64_t>>(), {}});
  if (tensors.empty()) return tensors;
  const std::vector<float> floats = read_safetensors(path + '/' + kTensorsFile, infos_of(tensors));
  auto from = floats.begin();
  for (NamedTensor& each : tensors) {
    const auto end = from + static_cast<std::ptrdiff_t>(TensorInfo{each.name, each.shape}.size());
    each.values.assign(from, end);
    from = end;
  }
  return tensors;
}

}  // namespace

TrainerCheckpoints::TrainerCheckpoints(RunCheckpoints options) : options_(std::move(options)) {
  if (options_.keep < 1)
    throw_invalid("checkpoints.keep is " + std::to_string(options_.keep) + "; it must be at least 1");
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw_bad_file(options_.folder, "cannot be created: " + error.message());
}

std::string TrainerCheckpoints::path_of(std::int64_t number) const {
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return options_.folder + '/' + kTrainerCheckpoint + digits;
}

std::vector<std::int64_t> TrainerCheckpoints::numbers() const {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator each(options_.folder, error), end; !error && each != end; each.increment(error)) {
    const std::int64_t number = trainer_checkpoint_number(each->path().filename().string());
    if (number > 0) numbers.push_back(number);
  }
  if (error) throw_bad_file(options_.folder, "cannot be read: " + error.message());
  std::ranges::sort(numbers);
  return numbers;
}

std::int64_t TrainerCheckpoints::newest() const {
  const auto all = numbers();
  return all.empty() ? 0 : all.back();
}

Checkpoint TrainerCheckpoints::read(std::int64_t number) const {
  const std::string path = path_of(number);
  const std::string description = path + '/' + kDescription;
  try {
    constexpr int kDeepest = 101;  // a function's state may have 100 levels, inside one level here
    const Json described = parse_strictly(description, "it", InputFile(description).read_text(kMostText), kDeepest);
    if (described.at("troupe_checkpoint") != 1) throw_bad_file(description, "has an unsupported version");
    Checkpoint checkpoint;
    checkpoint.number = described.at("number").get<std::int64_t>();
    checkpoint.iteration = described.value("iteration", std::int64_t{0});  // older versions did not write it
    checkpoint.state = described.at("state");
    checkpoint.tensors = read_tensors(path, described.at("tensors"));
    for (const Json& name : described.at("files")) {
      if (!is_file_name(name.get<std::string>())) throw_bad_file(description, "contains an invalid file name");
      checkpoint.files[name.get<std::string>()] = InputFile(path + "/files/" + name.get<std::string>()).read_text();
    }
    return checkpoint;
  } catch (const Json::exception& error) {
    throw_bad_file(description, std::string("is damaged: ") + error.what());
  }
}

std::string TrainerCheckpoints::write(const Checkpoint& checkpoint) const {
  std::string path = path_of(checkpoint.number);
  const std::string temporary = path + ".tmp";
  try {
    fs::remove_all(temporary);
    fs::create_directory(temporary);
    write_content(temporary, checkpoint);
    sync_folder_of(temporary + '/' + kDescription);
    fs::remove_all(path);
    fs::rename(temporary, path);
    sync_folder_of(path);
  } catch (const fs::filesystem_error& error) {
    throw_bad_file(path, std::string("cannot be written: ") + error.code().message());
  }
  prune();
  return path;
}

void TrainerCheckpoints::prune() const {
  const auto all = numbers();
  const std::size_t old = all.size() - std::min(all.size(), static_cast<std::size_t>(options_.keep));
  std::error_code ignored;  // a folder that cannot be removed stays
  for (std::size_t i = 0; i < old; ++i) fs::remove_all(path_of(all[i]), ignored);
}

}  // namespace troupe
