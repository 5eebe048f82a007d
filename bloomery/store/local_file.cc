// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/local_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/os/file_system.h"
#include "bloomery/store/messages.h"

namespace bloomery {
namespace {

// The number and name of a file system, as statfs(2) and the kernel's magic.h have them.
struct FileSystem {
  std::uint32_t magic;
  std::string_view name;
};
constexpr std::array kNotLocal{
    FileSystem{0x6969, "NFS"},
    FileSystem{0xff534d42, "CIFS"},
    FileSystem{0xfe534d42, "SMB2"},
    FileSystem{0x517b, "SMB"},
    FileSystem{0x5346414f, "AFS"},
    FileSystem{0x6b414653, "AFS"},
    FileSystem{0x00c36400, "Ceph"},
    FileSystem{0x01021997, "9P"},
    FileSystem{0x65735546, "FUSE"},
    FileSystem{0x0bd00bd0, "Lustre"},
    FileSystem{0x47504653, "GPFS"},
    FileSystem{0x01161970, "GFS2"},
    FileSystem{0x7461636f, "OCFS2"},
    FileSystem{0x786f4256, "VirtualBox's shared folders"},
    FileSystem{0x73757245, "Coda"},
    FileSystem{0x19830326, "BeeGFS"},
    FileSystem{0x20030528, "OrangeFS"},
    FileSystem{0xaad7aaea, "PanFS"},
    FileSystem{0xbeefdead, "StorNext"},
    FileSystem{0x013111a8, "IBRIX"},
    FileSystem{0x564c, "NCP"},
    FileSystem{0xbacbacbc, "VMware's shared folders"},
    FileSystem{0x7c7c6673, "Parallels' shared folders"},
};

constexpr std::uint32_t kOverlay = 0x794c7630;

std::uint32_t magic_of(const RegularFile& file) {
  const auto number = os::file_system_number(file.descriptor());
  if (!number) throw_store_error(file.path(), "ask what file system it is on", errno);
  return *number;
}

}  // namespace

bool is_copied_by_writers(const RegularFile& file) {
  return magic_of(file) == kOverlay;
}

void require_local(const RegularFile& file) {
  const std::uint32_t magic = magic_of(file);
  const auto* const found = std::ranges::find(kNotLocal, magic, &FileSystem::magic);
  if (found == kNotLocal.end()) return;
  throw_store_error(file.path(), "is on " + std::string(found->name) +
                                     ", where processes do not share one memory of it: put a "
                                     "shared filter on a disk of the machine, or in /dev/shm");
}

}  // namespace bloomery
