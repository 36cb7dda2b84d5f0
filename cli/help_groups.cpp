#include "cli/help_groups.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::cli {
namespace {

const HelpGroup kGeneral{"General",
                         {{"config", "options from a JSON file; the command line wins"},
                          {"print-config", "print such a file, then exit"},
                          {"log-level"}}};
constexpr const char* kAlgorithmsTitle = "Algorithms";

/// Returns the groups of options for `train`, and for other commands that accept some options of `train`.
const std::vector<HelpGroup>& groups_of_training() {
  static const std::vector<HelpGroup> groups{
      {"Model",
       {{"model", "linear, softmax, mlp, cnn, resnet18, ..."},
        {"load", "start with the weights of a file or checkpoint"},
        {"model-option"},
        {"new-head"},
        {"freeze-tensors"},
        {"loss"},
        {"metric"},
        {"precision"},
        {"no-precision-check"},
        {"tf32"}}},
      {"Data",
       {{"data", "fashion-mnist, csv:FILE, images:DIR, npy:FILES, ..."},
        {"batch-size", "samples per shard and step; default: 64"},
        {"micro-batch"},
        {"validate", "share of the training set for validation"},
        {"transform"},
        {"shards"},
        {"seed", "for weights, data order and random data"},
        {"data-memory"},
        {"data-cache"}}},
      {"Training",
       {{"epochs", "passes over the data; default: 2"},
        {"steps", "number of steps, instead of epochs"},
        {"optimizer", "sgd, adagrad, adam or adamw"},
        {"learning-rate", "default: by the optimizer"},
        {"momentum", "for sgd"},
        {"nesterov"},
        {"weight-decay"},
        {"schedule", "constant, step, cosine, ..."},
        {"warmup-steps"},
        {"schedule-steps"},
        {"schedule-gamma"},
        {"schedule-total"},
        {"schedule-decay"},
        {"clip-norm"},
        {"group"}}},
      {"Evaluation",
       {{"set", "test, or validation (of --validate)"},
        {"top-k", "accuracy among the K largest outputs"},
        {"json", "print one JSON object"},
        {"evaluate-every"},
        {"patience", "stop after this many without improvement"},
        {"cross-validate"}}},
      {"Files",
       {{"save", "write the weights to this safetensors file"},
        {"checkpoint", "write checkpoints to this folder"},
        {"resume", "resume from the newest checkpoint"},
        {"checkpoint-every"},
        {"keep"},
        {"keep-best"},
        {"reshard"},
        {"report", "write a JSON line per step to this file"},
        {"log", "csv:FILE, json:FILE, tensorboard:FOLDER, progress"},
        {"hash"},
        {"profile"},
        {"verbose"},
        {"quiet"}}},
      {"Workers",
       {{"workers", "worker actors, or MIN:MAX of them"},
        {"placement", "in-process, processes or cluster"},
        {"device", "cpu, cuda or cuda:N"},
        {"devices-per-worker"},
        {"strategy"},
        {"slice-owners"},
        {"any-order"},
        {"store-bytes"}}},
      {"Cluster",
       {{"listen", "ADDRESS:PORT where nodes join"},
        {"nodes", "how many nodes"},
        {"certs", "folder of the driver's certificate"},
        {"shared-certs"},
        {"streams"}}},
      {"Recovery",
       {{"max-failures"},
        {"copy-every"},
        {"restart"},
        {"backup-workers"},
        {"suspect-after"},
        {"cut-after"},
        {"step-timeout"},
        {"start-timeout"},
        {"evaluate-timeout"},
        {"save-timeout"},
        {"fault"}}},
      {kAlgorithmsTitle,
       {{"algorithm", "or downpour, ssp, local, lbfgs"},
        {"warm-start"},
        {"fetch-every"},
        {"push-every"},
        {"max-staleness"},
        {"staleness"},
        {"servers"},
        {"record"},
        {"replay"},
        {"local-steps"},
        {"outer"},
        {"outer-learning-rate"},
        {"outer-momentum"},
        {"history"},
        {"tolerance"},
        {"max-evaluations"},
        {"portions"},
        {"backup-portions"},
        {"freeze"}}},
      kGeneral,
  };
  return groups;
}

const std::vector<HelpGroup>& groups_of_searches() {
  static const std::vector<HelpGroup> groups{
      {"Search",
       {{"space"},
        {"samples"},
        {"metric"},
        {"better"},
        {"scheduler"},
        {"max-reports"},
        {"grace"},
        {"reduction"},
        {"search-seed"}}},
      {"Trials",
       {{"concurrent"}, {"cpus"}, {"gpus"}, {"memory"}, {"max-failures"}, {"report-timeout"}, {"end-timeout"}}},
      {"Files", {{"out"}, {"resume"}, {"html"}}},
      kGeneral,
  };
  return groups;
}

}  // namespace

const std::vector<HelpGroup>& help_groups(const std::string& command) {
  return command == "tune" ? groups_of_searches() : groups_of_training();
}

bool is_of_an_algorithm(const std::string& flag) {
  const auto& groups = groups_of_training();
  const auto found = std::ranges::find(groups, std::string_view(kAlgorithmsTitle), &HelpGroup::title);
  return flag != "algorithm" && std::ranges::count(found->lines, std::string_view(flag), &HelpLine::flag) > 0;
}

}  // namespace troupe::cli
