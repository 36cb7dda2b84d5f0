#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <limits>
#include <optional>
#include <thread>

#include "models/files/checkpoints.hpp"
#include "models/files/weight_file.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace fs = std::filesystem;

TEST_CASE("a checkpoint is read as it was written") {
  const TemporaryFolder folder;
  save(folder / "c", 7);
  CHECK(load(folder / "c") == 7);
  CHECK(names_in(folder.path()) == Names{"c"});
  CHECK(names_in(folder / "c") == Names{"manifest.json", "state.safetensors", "weights.safetensors"});
  CheckpointManifest read = CheckpointReader(folder / "c").manifest();
  CHECK(read.fingerprint == fingerprint_of(kCheckpointTensors));
  CHECK_FALSE(read.troupe.empty());
  CHECK(read.state_file.tensors.contains("v/a.weight"));
  read.fingerprint = read.troupe = "";
  read.weights_file = read.state_file = {};
  CHECK(read == example_manifest(7));
}

TEST_CASE("a checkpoint stores weights in a weight file and optimizer state in a second file") {
  const TemporaryFolder folder;
  save(folder / "c", 7);
  CHECK(read_safetensors(folder / "c/weights.safetensors", kCheckpointTensors) == example_vector(7, 0));
  const auto state = read_safetensors(folder / "c/state.safetensors",
                                      state_tensors(std::vector<std::string>{"v", "m"}, kCheckpointTensors));
  CHECK(std::vector<float>(state.begin(), state.begin() + 7) == example_vector(7, 2));
}

TEST_CASE("the same run writes a byte-identical checkpoint") {
  const TemporaryFolder folder;
  save(folder / "a", 3);
  save(folder / "b", 3);
  for (const std::string& name : names_in(folder / "a"))
    CHECK(read_file(folder / ("a/" + name)) == read_file(folder / ("b/" + name)));
}

TEST_CASE("vectors of a checkpoint may be added in parts of whole tensors only") {
  const TemporaryFolder folder;
  save(folder / "whole", 3);
  {
    CheckpointWriter writer(folder / "parts", example_manifest(3), kCheckpointTensors);
    const auto refused = [&](std::size_t floats) {
      return code_of([&] { writer.add(std::vector<float>(floats)); }) == ErrorCode::invalid_argument;
    };
    for (int number = 0; number < 3; ++number) {
      const std::vector<float> vector = example_vector(3, number);
      CHECK((refused(0) && refused(5) && refused(8)));
      writer.add(std::span(vector).first(6));
      CHECK((refused(0) && refused(2)));
      writer.add(std::span(vector).subspan(6));
    }
    CHECK(refused(1));
    writer.commit();
  }
  for (const std::string& name : names_in(folder / "whole"))
    CHECK(read_file(folder / ("whole/" + name)) == read_file(folder / ("parts/" + name)));
}

TEST_CASE("a checkpoint keeps every bit of a float") {
  const std::vector<float> floats{-0.0F, std::bit_cast<float>(0xFFA12345U), std::numeric_limits<float>::denorm_min()};
  const TemporaryFolder folder;
  CheckpointWriter writer(folder / "c", example_manifest(1, {}), {{"x", {3}}});
  writer.add(floats);
  writer.commit();
  const auto back = CheckpointReader(folder / "c").weights({{"x", {3}}});
  for (std::size_t i = 0; i < floats.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(back[i]) == std::bit_cast<std::uint32_t>(floats[i]));
}

TEST_CASE("the checkpoint of an optimizer without state has no state file") {
  const TemporaryFolder folder;
  save(folder / "c", 7);
  save(folder / "c", 8, {});
  CHECK(load(folder / "c") == 8);
  CHECK(names_in(folder / "c") == Names{"manifest.json", "weights.safetensors"});
  CHECK(code_of([&] { CheckpointReader(folder / "c").state("m", kCheckpointTensors); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a checkpoint replaces another checkpoint or an empty folder, through any path to the folder") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "c");
  save((folder / "c") + "/", 1);
  CHECK(load(folder / "c") == 1);
  fs::create_symlink("c", folder / "latest");
  save(folder / "latest", 2);
  CHECK(load(folder / "c") == 2);
  CHECK(load(folder / "latest") == 2);
  save((folder / "c") + "/../c/.", 3);
  CHECK(load(folder / "c") == 3);
  CHECK(names_in(folder.path()) == Names{"c", "latest"});
}

TEST_CASE("a path that is not a checkpoint is refused and left unchanged") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& what) {
    CAPTURE(name);
    check_throws(ErrorCode::bad_file, what, [&] { save(folder / name, 1); });
  };
  write_file(folder / "file", "mine");
  refused("file", "not a folder");
  CHECK(read_file(folder / "file") == "mine");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  refused("pipe", "not a folder");
  fs::create_symlink("nowhere", folder / "dangling");
  refused("dangling", "not a folder");
  fs::create_directory(folder / "home");
  write_file(folder / "home/letter", "mine");
  refused("home", "'letter'");
  fs::create_directory(folder / "other");
  write_file(folder / "other/manifest.json", R"({"format":"of another program"})");
  refused("other", "not the manifest of a checkpoint");
  fs::create_directory(folder / "weights");
  write_file(folder / "weights/weights.safetensors", "mine");
  refused("weights", "it is not a checkpoint");
  refused("nowhere/c", "No such file");
  check_throws(ErrorCode::bad_file, "does not name a folder", [] { save("", 1); });
  check_throws(ErrorCode::bad_file, "does not name a folder", [] { save("/", 1); });
  CHECK(names_in(folder.path()) == Names{"dangling", "file", "home", "other", "pipe", "weights"});
  CHECK(names_in(folder / "home") == Names{"letter"});
}

TEST_CASE("a checkpoint is no longer replaced if another program adds a file to its folder") {
  const TemporaryFolder folder;
  save(folder / "c", 1);
  CheckpointWriter writer(folder / "c", example_manifest(2, {}), kCheckpointTensors);
  writer.add(example_vector(2, 0));
  write_file(folder / "c/notes", "mine");
  check_throws(ErrorCode::bad_file, "'notes'", [&] { writer.commit(); });
  CHECK(load(folder / "c") == 1);
}

TEST_CASE("an abandoned checkpoint writer leaves no files, and it refuses too many or too few vectors") {
  const TemporaryFolder folder;
  save(folder / "c", 1);
  {
    CheckpointWriter writer(folder / "c", example_manifest(2, {"m"}), kCheckpointTensors);
    CHECK(code_of([&] { writer.commit(); }) == ErrorCode::invalid_argument);
    CHECK(code_of([&] { writer.add(std::vector<float>(3)); }) == ErrorCode::invalid_argument);
    writer.add(example_vector(2, 0));
    CHECK(code_of([&] { writer.commit(); }) == ErrorCode::invalid_argument);
    writer.add(example_vector(2, 1));
    CHECK(code_of([&] { writer.add(example_vector(2, 2)); }) == ErrorCode::invalid_argument);
    CHECK(names_in(folder.path()).size() == 2);
  }
  CHECK(names_in(folder.path()) == Names{"c"});
  CHECK(load(folder / "c") == 1);
}

TEST_CASE("a checkpoint that its files cannot represent is refused before a file is created") {
  const TemporaryFolder folder;
  const auto refused = [&](const CheckpointManifest& manifest, const std::vector<TensorInfo>& tensors) {
    CHECK(code_of([&] { CheckpointWriter(folder / "c", manifest, tensors); }) == ErrorCode::invalid_argument);
    CHECK(names_in(folder.path()).empty());
  };
  refused(example_manifest(1), {{"a", {1}}, {"a", {1}}});
  refused(example_manifest(1), {{"\xff", {1}}});
  refused(example_manifest(1, {"m", "m"}), kCheckpointTensors);
  refused(example_manifest(1, {"m/a"}), kCheckpointTensors);
  refused(example_manifest(-1), kCheckpointTensors);
  CheckpointManifest manifest = example_manifest(1);
  manifest.optimizer = "adam";
  refused(manifest, kCheckpointTensors);
}

TEST_CASE("checkpoints of another model are refused by the name of the tensor") {
  const TemporaryFolder folder;
  save(folder / "c", 1);
  const CheckpointReader reader(folder / "c");
  const auto mismatch = [&](const std::string& what, const std::vector<TensorInfo>& expected) {
    check_throws(ErrorCode::model_mismatch, what, [&] { reader.weights(expected); });
    check_throws(ErrorCode::model_mismatch, what, [&] { reader.state("v", expected); });
  };
  mismatch("a.weight' is [2, 3] in the file, but [3, 2] in the model",
           {{"a.weight", {3, 2}}, {"none", {0, 5}}, {"b", {}}});
  mismatch("c' [4] is missing", {{"a.weight", {2, 3}}, {"none", {0, 5}}, {"b", {}}, {"c", {4}}});
  mismatch("b' [] is not a tensor of the model", {{"a.weight", {2, 3}}, {"none", {0, 5}}});
  mismatch("the order of the tensors", {{"b", {}}, {"a.weight", {2, 3}}, {"none", {0, 5}}});
}

TEST_CASE("two checkpoint writers with the same path do not disturb each other; the last commit wins") {
  const TemporaryFolder folder;
  CheckpointWriter first(folder / "c", example_manifest(1, {}), kCheckpointTensors);
  first.add(example_vector(1, 0));
  save(folder / "c", 2);
  CHECK(names_in(folder.path()).size() == 2);
  first.commit();
  CHECK(load(folder / "c") == 1);
  CHECK(names_in(folder.path()) == Names{"c"});
}

TEST_CASE("temporary folders are removed only if a checkpoint writer could have made them") {
  const TemporaryFolder folder;
  const Names mine{"c.tmp-0123", "c.tmp-0123456789abcdeF", "c.tmp-older", "d.tmp-0123456789abcdef"};
  for (const std::string& name : mine) fs::create_directory(folder / name);
  fs::create_directory(folder / "c.tmp-0123456789abcdef");  // killed before it created a file
  save(folder / "elsewhere", 1);
  fs::create_symlink("elsewhere", folder / "c.tmp-00000000deadbeef");
  save(folder / "c", 1);
  Names left = mine;
  left.insert(left.end(), {"c", "c.tmp-00000000deadbeef", "elsewhere"});
  std::ranges::sort(left);
  CHECK(names_in(folder.path()) == left);
  CHECK(load(folder / "elsewhere") == 1);
}

TEST_CASE("a reader sees one complete checkpoint while a writer replaces it") {
  const TemporaryFolder folder;
  save(folder / "c", 1);
  const CheckpointReader before(folder / "c");
  const std::jthread writer([&] {
    for (int step = 2; step <= 60; ++step) save(folder / "c", step);
  });
  std::int64_t step = 0;
  while (step < 60) step = load(folder / "c");
  CHECK(before.weights(kCheckpointTensors) == example_vector(1, 0));
}

TEST_CASE("the error about a checkpoint folder without write permission names folder and reason") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  const uid_t before = ::geteuid();
  if (before == 0) REQUIRE(::seteuid(65534) == 0);  // root may write everywhere
  const std::string message = message_of([&] { save(folder / "c", 1); });
  REQUIRE(::seteuid(before) == 0);
  CHECK(message.find("Permission denied") != std::string::npos);
  CHECK(message.find(folder / "c") != std::string::npos);
  CHECK(names_in(folder.path()).empty());
}
