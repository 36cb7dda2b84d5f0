#include <doctest/doctest.h>

#include <string>

#include "cli/run_program.hpp"
#include "cli/stragglers.hpp"
#include "models/files.hpp"

using namespace troupe_test;
using troupe::cli::Stragglers;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

TEST_CASE("a worker is a straggler if it is slow in at least three steps and a tenth of all steps") {
  Stragglers stragglers;
  for (int step = 0; step < 40; ++step) stragglers.add({step % 2, 0.5, 0.4});
  stragglers.add({1, 0.0009, 0.0001});  // too short to count
  stragglers.add({});                   // a step with one worker
  for (int step = 0; step < 4; ++step) stragglers.add({2, 0.2, 0.05});
  CHECK(stragglers.text().empty());  // 4 of 46
  stragglers.add({2, 0.45, 0.05});
  CHECK(stragglers.text() == "worker 2 in 5 of 47 steps: 0.2500 s against 0.0500 s of the others");
}

TEST_CASE("a worker that is slow in few steps is a straggler if it costs a tenth of the time") {
  Stragglers stragglers;
  for (int step = 0; step < 997; ++step) stragglers.add({step % 2, 0.0005, 0.0004});
  for (int step = 0; step < 3; ++step) stragglers.add({1, 0.05, 0.001});
  CHECK(stragglers.text() == "worker 1 in 3 of 1000 steps: 0.0500 s against 0.0010 s of the others");
  stragglers.add({0, 100, 0.001});  // a single slow step does not count
  for (int step = 0; step < 200; ++step) stragglers.add({1, 0.05, 0.001});
  CHECK(stragglers.text() == "worker 1 in 203 of 1201 steps: 0.0500 s against 0.0010 s of the others");
}

TEST_CASE("a report names the straggler") {
  const TemporaryFolder folder;
  std::string lines;
  for (int step = 1; step <= 5; ++step)
    lines +=
        R"({"step":)" + std::to_string(step) +
        R"(,"loss":1,"samples":4,"strategy":"sharded","precision":"f32","seconds":{"step":1,"compute_all":1,"reduce":0,)"
        R"("apply_all":0},"slowest":{"worker":3,"seconds":0.5,"others":0.125}})"
        "\n";
  write_file(folder / "r.jsonl", lines);
  const Finished run = run_program({"report", folder / "r.jsonl"});
  CHECK(run.out.find("worker 3 in 5 of 5 steps: 0.5000 s against 0.1250 s of the others") != std::string::npos);
}
