#include "models/files/checkpoint/reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>
#include <utility>

#include "models/files/checkpoint/folder.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Returns whether the folder at `path` is the folder that `opened` refers to. Returns false if another folder has
/// replaced it.
bool is_still(const std::string& path, const FileDescriptor& opened) {
  struct stat now {};
  struct stat then {};
  return ::stat(path.c_str(), &now) == 0 && ::fstat(opened.get(), &then) == 0 && now.st_dev == then.st_dev &&
         now.st_ino == then.st_ino;
}

void check_header(const SafetensorsFile& file, const CheckpointFile& said) {
  std::vector<std::byte> header(file.header_bytes());
  file.file().read(0, header);
  if (file.file().size() != said.bytes || checksum(header) != said.header)
    throw_bad_file(file.file().path(), "damaged: its header or its length does not match the manifest");
}

bool is_as_it_was(const std::string& name, std::span<const float> floats, const CheckpointFile& said) {
  const auto sum = said.tensors.find(name);
  return sum != said.tensors.end() && checksum(std::as_bytes(floats)) == sum->second;
}

[[noreturn]] void throw_damaged(const SafetensorsFile& file, const std::vector<std::string>& tensors) {
  constexpr std::size_t kMostNamed = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(tensors.size(), kMostNamed); ++i)
    names += (i > 0 ? ", '" : "'") + tensors[i] + "'";
  if (tensors.size() > kMostNamed) names += " and " + std::to_string(tensors.size() - kMostNamed) + " more";
  throw_bad_file(file.file().path(), "damaged: tensor " + names + " does not match its checksum");
}

void read(const SafetensorsFile& file, const CheckpointFile& said, const std::vector<TensorInfo>& wanted,
          std::span<float> out) {
  for (const TensorInfo& tensor : wanted) {
    const std::span<float> floats = out.first(tensor.size());
    file.read(tensor.name, floats);
    if (!is_as_it_was(tensor.name, floats, said)) throw_damaged(file, {tensor.name});
    out = out.subspan(floats.size());
  }
}

std::vector<std::string> damaged(const SafetensorsFile& file, const CheckpointFile& said) {
  std::vector<std::string> names;
  std::vector<float> floats;
  for (const auto& [name, stored] : file.tensors()) {
    floats.resize(TensorInfo{name, stored.shape}.size());
    file.read(name, floats);
    if (!is_as_it_was(name, floats, said)) names.push_back(name);
  }
  for (const auto& [name, sum] : said.tensors)
    if (!file.tensors().contains(name)) names.push_back(name);
  return names;
}

void check_order(const CheckpointManifest& manifest, const std::vector<TensorInfo>& expected, const std::string& path) {
  if (manifest.fingerprint != fingerprint_of(expected))
    throw Error(ErrorCode::model_mismatch, "the order of the tensors differs from the model's", {.object = path});
}

}  // namespace

CheckpointReader::Files::Files(const std::string& folder)
    : manifest(read_manifest(folder)), weights(folder + "/" + kWeightsFile) {
  check_header(weights, manifest.weights_file);
  if (manifest.state.empty()) return;
  state.emplace(folder + "/" + kStateFile);
  check_header(*state, manifest.state_file);
}

/// Opens the files of the checkpoint at `path`. If a writer replaces the checkpoint during the call, starts again, so
/// that all opened files belong to the same checkpoint.
CheckpointReader::Files CheckpointReader::open(const std::string& path) {
  constexpr int kReadings = 10;
  for (int reading = 1;; ++reading) {
    const std::string folder = find_checkpoint(path);
    const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened && reading == kReadings) throw_cannot("open", folder);
    try {
      Files files(folder);
      if (is_still(folder, opened)) return files;
    } catch (const Error&) {
      if (reading == kReadings || is_still(folder, opened)) throw;
    }
    if (reading == kReadings) throw_bad_file(folder, "the checkpoint is replaced faster than it can be opened");
  }
}

CheckpointReader::CheckpointReader(const std::string& path) : files_(open(path)) {}

void CheckpointReader::verify() const {
  if (const auto names = damaged_weights(); !names.empty()) throw_damaged(files_.weights, names);
  if (const auto names = damaged_state(); !names.empty()) throw_damaged(*files_.state, names);
}

std::vector<std::string> CheckpointReader::damaged_weights() const {
  return damaged(files_.weights, manifest().weights_file);
}

std::vector<std::string> CheckpointReader::damaged_state() const {
  return files_.state ? damaged(*files_.state, manifest().state_file) : std::vector<std::string>();
}

void CheckpointReader::read_weights(const std::vector<TensorInfo>& expected, std::span<float> out) const {
  files_.weights.require(expected);
  check_order(manifest(), expected, files_.weights.file().path());
  read(files_.weights, manifest().weights_file, expected, out);
}

std::vector<float> CheckpointReader::weights(const std::vector<TensorInfo>& expected) const {
  std::vector<float> canonical(total_size(expected));
  read_weights(expected, canonical);
  return canonical;
}

void CheckpointReader::read_state(const std::string& vector, const std::vector<TensorInfo>& expected,
                                  std::span<float> out) const {
  const std::vector<std::string>& vectors = manifest().state;
  if (std::ranges::find(vectors, vector) == vectors.end())
    throw Error(ErrorCode::invalid_argument, "the checkpoint has no state vector '" + vector + "'");
  files_.state->require(state_tensors(vectors, expected));
  check_order(manifest(), expected, files_.state->file().path());
  read(*files_.state, manifest().state_file, state_tensors(vector, expected), out);
}

std::vector<float> CheckpointReader::state(const std::string& vector, const std::vector<TensorInfo>& expected) const {
  std::vector<float> canonical(total_size(expected));
  read_state(vector, expected, canonical);
  return canonical;
}

}  // namespace troupe
