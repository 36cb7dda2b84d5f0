#include "cli/help_groups.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::cli {
namespace {

const HelpGroup kGeneral{"General",
                         {{"config", "take options from a JSON file; what is typed wins"},
                          {"print-config", "print such a file, and do nothing else"},
                          {"log-level"}}};
constexpr const char* kAlgorithmsTitle = "Algorithms";

/// Of train, and of those that take some of its options.
const std::vector<HelpGroup>& groups_of_training() {
  static const std::vector<HelpGroup> groups{
      {"Model",
       {{"model", "linear, softmax, mlp, cnn, resnet18, ..."},
        {"load", "begin with the weights of a file or checkpoint"},
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
        {"batch-size", "samples a shard and step; 64 unless told"},
        {"validate", "share of the training set to measure on, as 0.1"},
        {"transform"},
        {"shards"},
        {"seed", "of weights, data order and drawn data"},
        {"data-memory"}}},
      {"Training",
       {{"epochs", "passes over the data; 2 unless told"},
        {"steps", "steps, in place of epochs"},
        {"optimizer", "sgd, adagrad, adam or adamw"},
        {"learning-rate", "by the optimizer unless told"},
        {"momentum", "of sgd"},
        {"nesterov"},
        {"weight-decay"},
        {"schedule", "constant, step or cosine"},
        {"warmup-steps"},
        {"schedule-steps"},
        {"schedule-gamma"},
        {"schedule-total"},
        {"clip-norm"},
        {"group"}}},
      {"Evaluation",
       {{"set", "test, or validation: that of --validate"},
        {"top-k", "how often the class is among so many"},
        {"json", "print one JSON object"},
        {"evaluate-every"},
        {"patience", "end after so many that are no better"},
        {"cross-validate"}}},
      {"Files",
       {{"save", "write the weights to this safetensors file"},
        {"checkpoint", "write checkpoints to this folder"},
        {"resume", "go on from the newest of them"},
        {"checkpoint-every"},
        {"keep"},
        {"keep-best"},
        {"reshard"},
        {"report", "write a JSON line a step to this file"},
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
        {"nodes", "how many"},
        {"certs", "folder of the driver's certificate"},
        {"shared-certs"},
        {"streams"}}},
      {"Recovery",
       {{"max-failures"},
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
      {"Trials", {{"concurrent"}, {"cpus"}, {"memory"}, {"max-failures"}, {"report-timeout"}, {"end-timeout"}}},
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
