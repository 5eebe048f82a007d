# SPDX-License-Identifier: Apache-2.0
# bloomery_uses(LIBRARY PACKAGE): bloomery::uses_LIBRARY, a library of the system that CMake has no module for; where it is not
# installed, bloomery_missing says so, and which package of Debian's has it. For our builds, and for those of who finds us.
set(bloomery_missing "")
macro(bloomery_uses library package)
  if(NOT TARGET bloomery::uses_${library})
    find_library(BLOOMERY_LIBRARY_${library} ${library})
    mark_as_advanced(BLOOMERY_LIBRARY_${library})
    if(BLOOMERY_LIBRARY_${library})
      add_library(bloomery::uses_${library} UNKNOWN IMPORTED GLOBAL)
      set_target_properties(bloomery::uses_${library} PROPERTIES IMPORTED_LOCATION ${BLOOMERY_LIBRARY_${library}})
    else()
      string(APPEND bloomery_missing " ${library} (${package})")
    endif()
  endif()
endmacro()
