#include <cstdlib>
#include <iostream>

#include "actors/launch.hpp"
#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

struct ProgramState {
  bool initialised = false;
  std::string name;
};

ProgramState& program() {
  static ProgramState state;
  return state;
}

constexpr const char* kWorkerFlag = "--troupe-worker=";
constexpr const char* kSocketFlag = "--troupe-socket=";

int parse_index(const std::string& text) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorCode::invalid_argument, std::string(kWorkerFlag) + text + " is no number of a worker");
  return std::stoi(text);
}

}  // namespace

std::vector<std::string> WorkerLaunch::arguments(const std::string& program) const {
  return {program, kWorkerFlag + std::to_string(worker), kSocketFlag + socket};
}

std::optional<WorkerLaunch> WorkerLaunch::parse(int argc, const char* const* argv) {
  std::optional<int> worker;
  std::optional<std::string> socket;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(kWorkerFlag)) {
      worker = parse_index(argument.substr(std::string(kWorkerFlag).size()));
    } else if (argument.starts_with(kSocketFlag)) {
      socket = argument.substr(std::string(kSocketFlag).size());
    } else if (argument.starts_with("--troupe-")) {
      throw Error(ErrorCode::invalid_argument, "unknown argument " + argument);
    }
  }
  if (!worker && !socket) return std::nullopt;
  if (!worker || !socket)
    throw Error(ErrorCode::invalid_argument, std::string(kWorkerFlag) + " and " + kSocketFlag + " go together");
  return WorkerLaunch{*worker, *socket};
}

bool is_initialised() { return program().initialised; }
const std::string& program_name() { return program().name; }

void init(int argc, char** argv) {
  if (program().initialised) return;
  models::register_builtin_models();
  const auto launch = WorkerLaunch::parse(argc, argv);
  if (launch) run_worker_process(*launch);
  program() = {true, argc > 0 ? argv[0] : "troupe"};
}

}  // namespace troupe
