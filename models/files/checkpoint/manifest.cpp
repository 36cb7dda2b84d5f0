#include "models/files/checkpoint/manifest.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "models/files/checkpoint/fields.hpp"
#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using nlohmann::json;

constexpr std::int64_t kFormat = 1;
/// The maximum size of a manifest in bytes. It is enough for about 100,000 tensors, and limits the time that parsing
/// takes.
constexpr std::uint64_t kLargestManifest = 16 << 20;
constexpr std::int64_t kMostShards = 1'000'000;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

std::uint64_t checksum_of(const json& manifest) {
  const std::string text = manifest.dump();
  return checksum(std::as_bytes(std::span(text)));
}

json file_to_json(const CheckpointFile& file) {
  json tensors = json::object();
  for (const auto& [name, sum] : file.tensors) tensors[name] = hex(sum);
  return {{"bytes", file.bytes}, {"header", hex(file.header)}, {"tensors", std::move(tensors)}};
}

CheckpointFile read_file(Fields fields) {
  CheckpointFile file;
  file.bytes = static_cast<std::uint64_t>(fields.integer("bytes", 0));
  file.header = fields.checksum("header");
  Fields tensors = fields.object("tensors");
  for (const std::string& name : tensors.names()) file.tensors.emplace(name, tensors.checksum(name));
  fields.finish();
  return file;
}

/// Checks that the names of state vectors are different, not empty, and contain no slash. Otherwise two tensors in the
/// file could have the same name: the tensors of a state vector have names such as "momentum/a.weight", which begin
/// with the name of the vector.
void check_state_names(Fields& fields, const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name)
    if (name->empty() || name->find('/') != std::string::npos || std::find(names.begin(), name, *name) != name)
      fields.refuse("state");
}

Precision read_precision(Fields& fields) {
  const std::string name = fields.text("precision");
  if (name != "f32" && name != "bf16") fields.refuse("precision");
  return name == "f32" ? Precision::f32 : Precision::bf16;
}

double read_rate(Fields& fields) {
  const double rate = fields.number("learning_rate");
  if (rate < 0 || rate > std::numeric_limits<float>::max()) fields.refuse("learning_rate");
  return rate;
}

/// Returns CheckpointManifest::bf16_given_up. The field "bf16_given_up" exists only if its value is true. The precision
/// of the run must then be f32.
bool read_given_up(Fields& fields, Precision precision) {
  if (!fields.has("bf16_given_up")) return false;
  if (!fields.boolean("bf16_given_up") || precision != Precision::f32) fields.refuse("bf16_given_up");
  return true;
}

std::optional<CheckpointMetric> read_metric(Fields fields) {
  CheckpointMetric metric;
  metric.value = fields.number("value");
  metric.best = fields.text("best");
  if (metric.best != kHighest && metric.best != kLowest) fields.refuse("best");
  fields.finish();
  return metric;
}

void read_model(Fields fields, CheckpointManifest& manifest) {
  manifest.model = fields.text("name");
  if (fields.has("config")) manifest.config = fields.text("config");
  manifest.statistics = fields.boolean("statistics");
  manifest.fingerprint = fields.text("fingerprint");
  if (manifest.fingerprint.size() != 64) fields.refuse("fingerprint");
  fields.finish();
}

void read_files(Fields fields, CheckpointManifest& manifest) {
  manifest.weights_file = read_file(fields.object(kWeightsFile));
  if (!manifest.state.empty()) manifest.state_file = read_file(fields.object(kStateFile));
  fields.finish();
}

CheckpointManifest read_fields(Fields fields) {
  CheckpointManifest manifest;
  fields.skip("format");
  manifest.step = fields.integer("step", 0, kMostSteps);
  // In asynchronous algorithms, the gradient of each shard may be an update of its own, so a step has at most
  // num_shards updates. Therefore updates / num_shards cannot exceed the number of steps by much. The check allows two
  // more steps: one for the step in progress, and one because the division rounds down.
  manifest.updates = fields.integer("updates", 0, kMostSteps);
  manifest.num_shards = static_cast<int>(fields.integer("num_shards", 1, kMostShards));
  if (manifest.updates / manifest.num_shards > manifest.step + 2) fields.refuse("updates");
  manifest.seed = fields.bits("seed");
  manifest.precision = read_precision(fields);
  manifest.bf16_given_up = read_given_up(fields, manifest.precision);
  if (fields.has("computed_by")) manifest.computed_by = fields.text("computed_by");
  manifest.optimizer = fields.object_text("optimizer");
  if (fields.has("learning_rate")) manifest.learning_rate = read_rate(fields);
  manifest.state = fields.texts("state");
  check_state_names(fields, manifest.state);
  manifest.troupe = fields.text("troupe");
  if (fields.has("metric")) manifest.metric = read_metric(fields.object("metric"));
  read_model(fields.object("model"), manifest);
  Fields data = fields.object("data");
  manifest.data = data.text("name");
  manifest.samples = data.integer("samples", 0);
  data.finish();
  read_files(fields.object("files"), manifest);
  fields.finish();
  return manifest;
}

void check_format(const std::string& path, const json& parsed) {
  if (!parsed.is_object() || !parsed.contains("format") || !parsed["format"].is_number_unsigned())
    throw_bad_file(path, "not the manifest of a checkpoint");
  if (parsed["format"] != kFormat)
    throw_bad_file(path, "the checkpoint has format " + parsed["format"].dump() +
                             "; this version of Troupe reads format " + std::to_string(kFormat) + " only");
}

json model_to_json(const CheckpointManifest& manifest) {
  json model{{"name", manifest.model}, {"fingerprint", manifest.fingerprint}, {"statistics", manifest.statistics}};
  if (!manifest.config.empty()) model["config"] = manifest.config;
  return model;
}

json to_json_without_checksum(const CheckpointManifest& manifest) {
  json files{{kWeightsFile, file_to_json(manifest.weights_file)}};
  if (!manifest.state.empty()) files[kStateFile] = file_to_json(manifest.state_file);
  json said{{"format", kFormat},
            {"step", manifest.step},
            {"updates", manifest.updates},
            {"num_shards", manifest.num_shards},
            {"seed", manifest.seed},
            {"model", model_to_json(manifest)},
            {"precision", manifest.precision == Precision::f32 ? "f32" : "bf16"},
            {"optimizer", json::parse(manifest.optimizer)},
            {"state", manifest.state},
            {"data", {{"name", manifest.data}, {"samples", manifest.samples}}},
            {"troupe", manifest.troupe},
            {"files", std::move(files)}};
  if (manifest.learning_rate) said["learning_rate"] = *manifest.learning_rate;
  if (!manifest.computed_by.empty()) said["computed_by"] = manifest.computed_by;
  if (manifest.bf16_given_up) said["bf16_given_up"] = true;
  if (manifest.metric) said["metric"] = {{"value", manifest.metric->value}, {"best", manifest.metric->best}};
  return said;
}

}  // namespace

std::string fingerprint_of(const std::vector<TensorInfo>& tensors) {
  std::string text;
  for (const TensorInfo& tensor : tensors) {
    text += tensor.name + '\0';
    for (const std::int64_t length : tensor.shape) text += std::to_string(length) + ',';
    text += '\n';
  }
  return sha256_hex(std::as_bytes(std::span(text)));
}

std::vector<TensorInfo> state_tensors(const std::string& vector, const std::vector<TensorInfo>& tensors) {
  std::vector<TensorInfo> named = tensors;
  for (TensorInfo& tensor : named) tensor.name.insert(0, vector + "/");
  return named;
}

std::vector<TensorInfo> state_tensors(const std::vector<std::string>& vectors, const std::vector<TensorInfo>& tensors) {
  std::vector<TensorInfo> all;
  for (const std::string& vector : vectors)
    for (TensorInfo& tensor : state_tensors(vector, tensors)) all.push_back(std::move(tensor));
  return all;
}

std::string to_json(const CheckpointManifest& manifest) try {
  json said = to_json_without_checksum(manifest);
  said["checksum"] = hex(checksum_of(said));
  std::string text = said.dump(1) + "\n";
  manifest_from_json(kManifestFile, text);
  return text;
} catch (const json::exception&) {
  throw Error(ErrorCode::invalid_argument,
              "a text of the checkpoint is not valid UTF-8, or the optimizer's options are not valid JSON");
} catch (const Error& error) {
  throw Error(ErrorCode::invalid_argument, "a checkpoint cannot store this: " + error.message());
}

CheckpointManifest manifest_from_json(const std::string& path, const std::string& text) {
  if (text.size() > kLargestManifest) throw_bad_file(path, "the manifest is too large");
  constexpr int kDeepest = 8;
  constexpr std::size_t kMostMemory = std::size_t{1} << 30;  // in bytes; the entries of 100,000 tensors, three for
                                                             // each, take 70 MB
  json parsed = parse_strictly(path, "the manifest", text, kDeepest, kMostMemory);
  check_format(path, parsed);
  const std::uint64_t sum = Fields(path, "", parsed).checksum("checksum");
  parsed.erase("checksum");
  if (checksum_of(parsed) != sum) throw_bad_file(path, "damaged: its checksum does not match");
  return read_fields(Fields(path, "", parsed));
}

CheckpointManifest read_manifest(const std::string& folder) {
  const InputFile file(folder + "/" + kManifestFile);
  if (file.size() > kLargestManifest) throw_bad_file(file.path(), "the manifest is too large");
  const std::string text = file.read_text();
  CheckpointManifest manifest = manifest_from_json(file.path(), text);
  // Also compares the text with the text that `to_json` returns for the manifest. The checksum covers only the parsed
  // values. It does not detect changed white space, or a change of a fraction's last digit that leaves the parsed value
  // the same.
  if (to_json(manifest) != text) throw_bad_file(file.path(), "damaged: the text has been changed");
  return manifest;
}

}  // namespace troupe
