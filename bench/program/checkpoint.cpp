#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "bench/program/ready_model.hpp"
#include "cli/run_options.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe::bench {
namespace {

namespace fs = std::filesystem;

struct CheckpointRun {
  std::size_t parameters = 44'551'209;
  int rounds = 5;
  bool json = false;
  std::string folder = ".";
  std::string placement = "processes";
  Options sgd;
};

double seconds_of(const std::function<void()>& action) {
  const Stopwatch watch;
  action();
  return watch.seconds();
}

std::uintmax_t bytes_of(const std::string& checkpoint) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(checkpoint)) bytes += entry.file_size();
  return bytes;
}

/// Writes `bytes` bytes with `dd conv=fsync`.
void write_plainly(const std::string& path, std::uintmax_t bytes) {
  auto child = ChildProcess::start("/bin/dd",
                                   {"dd", "if=/dev/zero", "of=" + path, "bs=1M", "count=" + std::to_string(bytes),
                                    "iflag=count_bytes", "conv=fsync", "status=none"},
                                   {});
  if (!child.wait(std::chrono::minutes(10)) || child.exit_status() != 0)
    throw Error(ErrorCode::system, "dd " + child.how_it_ended());
}

/// Reads the files of a checkpoint as `cat` does.
void read_plainly(const std::string& checkpoint) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (const auto& entry : fs::directory_iterator(checkpoint)) {
    const InputFile file(entry.path());
    for (std::uint64_t at = 0; at < file.size(); at += buffer.size())
      file.read(at, std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), file.size() - at)));
  }
}

/// Returns the seconds from the start until the end of the first step.
double start_seconds(const Options& options) {
  return seconds_of([&] { DistributedSGD(kReadyModel, options).step(); });
}

/// Results of the measurements, one entry per round.
struct Figures {
  std::vector<double> writing, plain_writing, resuming, plain_reading, starting;
};

Figures measure(const CheckpointRun& run, Options options, const std::string& folder) {
  Figures figures;
  Options starting = options;
  options.checkpoint.folder = folder + "/run";
  std::string checkpoint;
  for (int round = 0; round < run.rounds; ++round) {
    options.checkpoint.resume = round > 0;
    {
      DistributedSGD sgd(kReadyModel, options);
      sgd.step();
      figures.writing.push_back(seconds_of([&] { checkpoint = sgd.checkpoint(); }));
    }
    const std::string plain = folder + "/plain";
    figures.plain_writing.push_back(seconds_of([&] { write_plainly(plain, bytes_of(checkpoint)); }));
    fs::remove(plain);
    options.checkpoint.resume = true;
    figures.resuming.push_back(start_seconds(options));
    figures.plain_reading.push_back(seconds_of([&] { read_plainly(checkpoint); }));
    figures.starting.push_back(start_seconds(starting));
  }
  return figures;
}

void measure_checkpoint(const CheckpointRun& run) {
  Options options = run.sgd;
  options.placement = cli::parse_placement(run.placement);
  prepare_ready_model(options, run.parameters);
  options.optimizer = Adam{.learning_rate = 0.001};
  options.checkpoint.keep = 1;
  std::string folder = run.folder + "/troupe-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw_cannot("make a folder", folder);
  const auto remove = [](const std::string* path) { fs::remove_all(*path); };
  const std::unique_ptr<const std::string, decltype(remove)> removed(&folder, remove);
  const Figures f = measure(run, options, folder);
  const double writing = median(f.writing) / median(f.plain_writing);
  const double resuming = median(f.resuming) / (median(f.plain_reading) + median(f.starting));
  if (run.json) {
    const nlohmann::ordered_json result{{"parameters", run.parameters},
                                        {"workers", options.num_workers.max},
                                        {"placement", run.placement},
                                        {"seconds", median(f.writing)},
                                        {"dd_seconds", median(f.plain_writing)},
                                        {"ratio", writing},
                                        {"resume_seconds", median(f.resuming)},
                                        {"read_seconds", median(f.plain_reading)},
                                        {"start_seconds", median(f.starting)},
                                        {"resume_ratio", resuming}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("checkpoint %.3f s, dd conv=fsync %.3f s, ratio %.2f (medians of %d)\n", median(f.writing),
                median(f.plain_writing), writing, run.rounds);
    std::printf("resume until the first step %.3f s, reading %.3f s and starting %.3f s, ratio %.2f\n",
                median(f.resuming), median(f.plain_reading), median(f.starting), resuming);
  }
}

}  // namespace

void add_checkpoint(CLI::App& app) {
  auto run = std::make_shared<CheckpointRun>();
  run->sgd.num_workers = 4;
  CLI::App& checkpoint = *app.add_subcommand(
      "checkpoint", "Time writing a checkpoint of weights and Adam's state against dd, and resuming from it");
  checkpoint.add_option("--parameters", run->parameters, "Floats of the model")->check(CLI::Range(1UL, 1UL << 36));
  checkpoint.add_option("--rounds", run->rounds, "Measurements of each side, alternating")
      ->check(CLI::Range(1, 10'000));
  checkpoint.add_option("--folder", run->folder, "Folder on the disk to measure");
  cli::add_worker_options(checkpoint, run->sgd, run->placement);
  checkpoint.add_flag("--json", run->json, "Print one JSON object");
  checkpoint.callback([run] { measure_checkpoint(*run); });
}

}  // namespace troupe::bench
